import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { password } from './accounts.ts'
import type { TestApp } from './app.ts'

/** Runs `npm run user -- …` on the app's database. */
export async function runCommand({ ctx }: Pick<TestApp, 'ctx'>, ...line: string[]) {
  const readPassword = async () => password
  return runUserCommand(await loadUserCommands(), line, { ...ctx, readPassword })
}
