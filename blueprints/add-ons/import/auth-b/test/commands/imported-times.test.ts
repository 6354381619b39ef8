import { expect, test } from 'vitest'
import { readUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { importedLine, importFile } from '../support/import.ts'

test('an imported user was changed at the time of the import', async () => {
  const app = await createTestApp()
  const line = importedLine('bob', { created_at: '2020-02-03T04:05:06Z' })
  await runCommand(app, 'import', await importFile([line]))
  expect((await readUser(app, 1)).updatedAt).toEqual(new Date(app.now()))
})
