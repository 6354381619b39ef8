import { expect, test } from 'vitest'
import { logIn, readUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { runCommand } from '../support/commands.ts'
import { registerVerified } from '../support/flows.ts'
import { importedLine, importFile } from '../support/import.ts'

// Otherwise a thief who has changed the address of an account could block the way back with a line in the file.
test('an address that an undo can restore is refused, until the undo expires', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await changeEmail(app, await logIn(app), 'new@example.com')

  const line = importedLine('mallory', { email: 'alice@example.com' })
  const file = await importFile([line, importedLine('bob')])
  for (const options of [['--dry-run'], []])
    await expect(runCommand(app, 'import', file, ...options)).rejects.toThrow(
      'Line 1: Email or username already registered',
    )
  expect(await runCommand(app, 'list', '--search', 'mallory')).toBe('No users.')
  expect(await app.ctx.users.findByLogin('bob')).toMatchObject({ isVerified: false })
  app.clock.advance(7 * 24 * 60 * 60)
  expect(await runCommand(app, 'import', await importFile([line]))).toContain('Imported 1 users.')
})

test('an address that the other service has verified is verified', async () => {
  const app = await createTestApp()
  await runCommand(app, 'import', await importFile([importedLine('alice', { is_verified: true })]))
  expect((await readUser(app, 1)).isVerified).toBe(true)
})
