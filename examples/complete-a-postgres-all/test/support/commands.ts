import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { password } from './accounts.ts'
import type { TestApp } from './app.ts'

/** Runs `npm run user -- …` on the app's database. */
export async function runCommand({ db, config, log, now }: Omit<TestApp, 'clock'>, ...line: string[]) {
  const readPassword = async () => password
  return runUserCommand(await loadUserCommands(), line, { db, config, log, now, readPassword })
}

/** Writes a file to import. Texts become lines as they are. @returns its path */
export async function importFile(lines: (object | string)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-import-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'users.ndjson')
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  await writeFile(file, texts.join('\n'))
  return file
}

/** A line to import, of a random password. */
export const importedLine = (username: string, fields: object = {}) => ({
  username,
  email: `${username}@example.com`,
  hashed_password: '$2b$12$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW',
  ...fields,
})
