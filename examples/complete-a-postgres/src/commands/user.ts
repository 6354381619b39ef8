import { openDatabase } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { readConfig } from '../environment.ts'
import { readPassword } from './password-input.ts'
import { CommandError, loadUserCommands, runUserCommand } from './user-commands.ts'

/** `npm run user -- <command> …`, for the operator. Exit codes: 0 done, 1 refused, 2 wrong usage. */
// pnpm, yarn and bun hand the `--` of `run user -- …` on to the script.
const args = process.argv.slice(2).filter((arg) => arg !== '--')
const commands = await loadUserCommands()

const config = readConfig()
await migrate(config.database)
const db = openDatabase(config.database)
try {
  console.log(await runUserCommand(commands, args, { db, config, now: Date.now, readPassword }))
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
} finally {
  await db.close()
}
