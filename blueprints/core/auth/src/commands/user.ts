import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import Fastify from 'fastify'
import { readConfig } from '../config.ts'
import { createContext } from '../context.ts'
import type { Database } from '../db/database.ts'
import { CommandError, loadUserCommands, openCommandDatabase, runUserCommand } from './user-commands.ts'

/** `npm run user -- <command> …`. Exit codes: 0 done, 1 refused, 2 wrong usage. */
// pnpm, yarn and bun pass the `--` of `run user -- …` to the script.
const args = process.argv.slice(2).filter((arg) => arg !== '--')
const commands = await loadUserCommands()

const config = readConfig()
// As the service logs, but to standard error: scripts read what was done from standard output.
const { log } = Fastify({ logger: { level: config.server.logLevel, stream: process.stderr } })
let db: Database | undefined
try {
  db = await openCommandDatabase(config.database)
  const ctx = await createContext({ config, db, log, now: Date.now })
  console.log(await runUserCommand(commands, args, { ...ctx, readPassword }))
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
} finally {
  await db?.close()
}

/**
 * Reads a password from the terminal without showing it, or from the first line of standard input. Never from the
 * arguments: every user of the machine can see them with `ps`, and the shell stores them in its history.
 */
async function readPassword(): Promise<string> {
  const terminal = process.stdin.isTTY
  if (terminal) process.stderr.write('Password: ')
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: unseen, terminal })
  lines.on('SIGINT', () => process.exit(130))
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
    if (terminal) process.stderr.write('\n')
  }
}
