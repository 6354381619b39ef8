import { parseArgs } from 'node:util'
import { migrate } from '../db/migrate.ts'
import { database } from '../settings/database.ts'
import { beginEmpty, copyRows } from './db-copy/copy.ts'
import { messageOf } from './db-copy/database.ts'
import { refuseOlderSource } from './db-copy/history.ts'
import { createProgress } from './db-copy/progress.ts'
import { report } from './db-copy/report.ts'
import { isDatabaseUrl, openSource } from './db-copy/source.ts'
import { openTarget } from './db-copy/target.ts'

/** `npm run db:copy -- --from <url> --to <url>`. Exit codes: 0 done, 1 nothing was copied, 2 wrong usage. */
const usage = `Usage: db:copy --from <url> --to <url> [--skip <table>] [--skip <table.column>]
  <url>: file:data/app.db, or postgres://user@host:5432/name`

const options = {
  from: { type: 'string' },
  to: { type: 'string' },
  skip: { type: 'string', multiple: true },
} as const

function readArguments() {
  try {
    // pnpm, yarn and bun hand the `--` of `run db:copy -- …` on to the script.
    const args = process.argv.slice(2).filter((arg) => arg !== '--')
    const { from, to, skip } = parseArgs({ args, options }).values
    if (!from || !to) throw new Error('--from and --to are needed')
    if (!isDatabaseUrl(from)) throw new Error('--from must be file: and a path, or postgres:// and a server')
    const settings = database.safeParse({ DATABASE_URL: to })
    if (!settings.success)
      throw new Error(`--to ${settings.error.issues[0]?.message}: this project's kind of database`)
    return { from, settings: settings.data, skip: new Set(skip ?? []) }
  } catch (error) {
    console.error(`${messageOf(error)}\n${usage}`)
    process.exit(2)
  }
}

const { from, settings, skip } = readArguments()
// Unlike the default, this runs what waits for `exit`: a driver that was fetched is removed.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
const progress = createProgress(process.stderr)
try {
  console.error('Stop the service before you copy: what it writes from now on stays behind.')
  await migrate(settings)
  const target = await openTarget(settings)
  await beginEmpty(target, skip)
  const source = await openSource(from, (line) => console.error(line))
  await refuseOlderSource(source, target.kind)
  const result = await copyRows(source, target, { skip, progress: progress.show })
  progress.clear()
  console.log(report(result))
  await target.close()
  await source.close()
} catch (error) {
  progress.clear()
  console.error(`${messageOf(error)}. Nothing was copied.`)
  // What is open yet is rolled back by its database when the process ends.
  process.exit(1)
}
