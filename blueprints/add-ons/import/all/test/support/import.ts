import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestApp } from './app.ts'
import { runCommand } from './commands.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Writes a file to import. Texts become lines as they are. @returns its path */
export async function importFile(lines: (object | string)[]): Promise<string> {
  const file = join(await temporaryFolder(), 'users.ndjson')
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  await writeFile(file, texts.join('\n'))
  return file
}

/** A file as another system exports it. */
export const fixture = (name: string) => join(import.meta.dirname, '../fixtures', name)

/** A line to import, of a random password. */
export const importedLine = (username: string, fields: object = {}) => ({
  username,
  email: `${username}@example.com`,
  hashed_password: '$2b$12$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW',
  ...fields,
})

/** Imports lines. @returns what the command prints */
export const importLines = async (
  app: Pick<TestApp, 'ctx'>,
  lines: (object | string)[],
  ...options: string[]
) => runCommand(app, 'import', await importFile(lines), ...options)

/** The same app with USERNAME_REQUIRED=false. */
export function withoutUsernames({ ctx }: TestApp): Pick<TestApp, 'ctx'> {
  const accounts = { ...ctx.config.accounts, usernameRequired: false }
  return { ctx: { ...ctx, config: { ...ctx.config, accounts } } }
}
