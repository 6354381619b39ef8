import { expect, test } from 'vitest'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { importedLine, importFile } from '../support/import.ts'
import { deleteAndRetire } from '../support/retired-names.ts'

test('an import does not give the name of a deleted user to another one', async () => {
  const app = await createTestApp()
  const user = await readUser(app, (await register(app)).id)
  await app.db.transaction((tx) => deleteAndRetire(tx, user))
  const line = importedLine('Alice', { email: 'thief@example.com' })
  const file = await importFile([line, importedLine('bob')])
  for (const options of [['--dry-run'], []])
    await expect(runCommand(app, 'import', file, ...options)).rejects.toThrow(
      /^Line 1: Email or username already registered .*\n.* 1 users\./,
    )
  expect(await runCommand(app, 'list', '--search', 'alice')).toBe('No users.')
})
