import { expect, test } from 'vitest'
import { logIn, putMe, readUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { importedLine, importFile, runCommand } from '../support/commands.ts'
import { registerVerified, runCleanUp, verify } from '../support/flows.ts'
import { mailedToken } from '../support/mailbox.ts'

// Otherwise a thief who has changed the address of an account could block the way back with a line in the file.
test.each([
  ['last verified', false],
  ['restorable', true],
])('the %s address of another user is refused', async (_name, isVerified) => {
  const app = await createTestApp()
  await registerVerified(app)
  await putMe(app, await logIn(app), { email: 'new@example.com' })
  if (isVerified) await verify(app, await mailedToken(app, 'verification', 'new@example.com'))
  else {
    // The change can no longer be undone.
    app.clock.advance(8 * 24 * 60 * 60)
    await runCleanUp(app)
  }

  const line = importedLine('mallory', { email: 'alice@example.com' })
  const file = await importFile([line, importedLine('bob')])
  for (const options of [['--dry-run'], []])
    await expect(runCommand(app, 'import', file, ...options)).rejects.toThrow(
      'Line 1: Email or username already registered',
    )
  expect(await runCommand(app, 'list', '--search', 'mallory')).toBe('No users.')
  expect(await readUser(app, 2)).toMatchObject({ username: 'bob', isVerified: false })
})

test('an address that the other service has verified is verified', async () => {
  const app = await createTestApp()
  await runCommand(app, 'import', await importFile([importedLine('alice', { is_verified: true })]))
  expect((await readUser(app, 1)).isVerified).toBe(true)
})
