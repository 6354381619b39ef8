import { expect, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { bearer, logIn, password, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

test('promote makes a superuser, and demote takes effect immediately', async () => {
  const app = await createTestApp()
  app.get('/admin', { onRequest: [app.requireUser, app.requireSuperuser] }, async () => ({ ok: true }))
  const commands = await loadUserCommands()
  const user = (...line: string[]) =>
    runUserCommand(commands, line, { ...app.ctx, readPassword: async () => password })
  await register(app)
  const headers = bearer(await logIn(app))

  const refused = await app.inject({ url: '/admin', headers })
  expect(refused.statusCode).toBe(403)
  expect(refused.json()).toMatchObject({ title: 'Forbidden', code: 'forbidden' })
  expect((await app.inject({ url: '/admin' })).json()).toMatchObject({ code: 'not_authenticated' })

  expect(await user('promote', 'alice')).toBe('User alice is a superuser.')
  expect((await app.inject({ url: '/admin', headers })).statusCode).toBe(200)

  expect(await user('demote', 'alice')).toBe('User alice is no longer a superuser.')
  expect((await app.inject({ url: '/admin', headers })).statusCode).toBe(403)
})
