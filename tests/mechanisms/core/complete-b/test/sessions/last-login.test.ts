import { expect, test } from 'vitest'
import { readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, startSession } from '../support/flows.ts'

test('last_login_at is the time of the last login, not of a registration, refresh or failed login', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const lastLogin = async () => (await readUser(app, id)).lastLoginAt?.getTime()
  expect(await lastLogin()).toBeUndefined()

  app.clock.advance(60)
  const { refreshToken } = await startSession(app)
  const loggedInAt = app.clock.now()
  expect(await lastLogin()).toBe(loggedInAt)

  app.clock.advance(60)
  await refresh(app, refreshToken)
  await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  expect(await lastLogin()).toBe(loggedInAt)
})
