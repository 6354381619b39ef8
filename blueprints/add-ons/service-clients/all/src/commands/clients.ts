import Fastify from 'fastify'
import { readConfig } from '../config.ts'
import { createContext } from '../context.ts'
import type { Database } from '../db/database.ts'
import { runClientCommand } from './client-commands.ts'
import { CommandError, openCommandDatabase } from './user-commands.ts'

/** `npm run clients -- <command> …`. Exit codes: 0 done, 1 refused, 2 wrong usage. */
// pnpm, yarn and bun pass the `--` of `run clients -- …` to the script.
const line = process.argv.slice(2).filter((arg) => arg !== '--')

const config = readConfig()
// As the service logs, but to standard error: scripts read the secret from standard output.
const { log } = Fastify({ logger: { level: config.server.logLevel, stream: process.stderr } })
let db: Database | undefined
try {
  db = await openCommandDatabase(config.database)
  const ctx = await createContext({ config, db, log, now: Date.now })
  console.log(await runClientCommand(ctx, line))
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
} finally {
  await db?.close()
}
