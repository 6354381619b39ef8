import { expect, test } from 'vitest'
import { insertUser } from '../../src/users/users.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { importedLine, importFile } from '../support/import.ts'
import { deleteAndRetire } from '../support/retired-names.ts'
import { testServer } from '../support/server.ts'
import { untilOneWaits } from '../support/waiting.ts'

test.skipIf(!testServer)('an import that waits for the deletion of a name leaves it out', async () => {
  const app = await createTestApp()
  const line = importedLine('alice', { email: 'thief@example.com' })
  const file = await importFile([line, importedLine('bob')])
  const { done } = await app.db.transaction(async (tx) => {
    // The import does not see this user, who is not committed.
    const names = { username: 'alice', email: 'alice@example.com' }
    const user = await insertUser(tx, { ...names, hashedPassword: 'x' }, app.now())
    const done = runCommand(app, 'import', file).catch((error) => error.message)
    await untilOneWaits(tx)
    await deleteAndRetire(tx, user)
    return { done }
  })
  expect(await done).toMatch(
    /^Line 1: Email or username already registered \(thief@example\.com\)\nImported 1 users\./,
  )
  expect(await runCommand(app, 'list', '--search', 'thief')).toBe('No users.')
})
