// npm run failures [-- --times 10 --only <words of a title> --postgres <project> --sqlite <project>]: checks that the
// service survives failures of its database, its disk, its clock and its process, and a deployment under load. Creates and builds projects that are not given. Exit code 1 on any fault.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { missingFor, scenarios } from './list.js'

// A normal exit also stops the database servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
// Each service and server of a scenario listens for the exit, to end with it.
process.setMaxListeners(0)

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    postgres: { type: 'string' },
    sqlite: { type: 'string' },
  },
})
const times = Number(values.times)
const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')
const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-failures-'))

/** @type {Partial<Record<import('./scenario.js').Database, string>>} */
const projects = { ...values }
/** @param {import('./scenario.js').Database} database */
async function project(database) {
  const existing = projects[database]
  if (existing !== undefined) return existing
  const folder = join(scratch, database)
  const answers = ['--mode', 'complete', '--profile', 'B', '--database', database, '--no-git']
  execFileSync(process.execPath, [bin, folder, ...answers], { stdio: 'inherit' })
  execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit' })
  projects[database] = folder
  return folder
}

let isBroken = false
/** @param {import('./scenario.js').Report} report */
function print({ counts, faults }) {
  for (const [name, value] of Object.entries(counts)) console.log(`  ${name}: ${JSON.stringify(value)}`)
  for (const fault of faults.slice(0, 50)) console.error(`  FAULT ${fault}`)
  console.log(`  faults: ${faults.length}`)
  if (faults.length > 0) isBroken = true
}

try {
  for (const scenario of scenarios.filter(({ title }) => title.includes(values.only))) {
    const missing = missingFor(scenario)
    console.log(`\n${scenario.title}${missing === undefined ? '' : `: skipped, ${missing}`}`)
    if (missing === undefined) print(await scenario.run({ times, scratch, project }))
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = isBroken ? 1 : 0
