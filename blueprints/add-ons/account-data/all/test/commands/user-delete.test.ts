import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'

test('delete needs --yes, and deletes the user, whose tokens are invalid', async () => {
  const app = await createTestApp()
  await register(app)
  await register(app, 'bob')
  const [token, bob] = [await logIn(app), await logIn(app, 'bob')]

  await expect(runCommand(app, 'delete', 'alice')).rejects.toMatchObject({
    exitCode: 1,
    message:
      'This deletes the user alice (id 1, alice@example.com) and all that belongs to them. It cannot be undone. Only a keyed hash of the username stays, so that no one can register it again. Repeat the command with --yes.',
  })
  expect((await getMe(app, token)).statusCode).toBe(200)

  expect(await runCommand(app, 'delete', '--yes', 'alice@example.com')).toBe('Deleted user alice (id 1).')
  expect((await getMe(app, token)).statusCode).toBe(401)
  expect((await getMe(app, bob)).statusCode).toBe(200)
  await expect(runCommand(app, 'delete', 'nobody', '--yes')).rejects.toThrow('There is no user "nobody".')
})
