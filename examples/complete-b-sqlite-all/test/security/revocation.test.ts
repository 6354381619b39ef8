import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { changeEmail } from '../../src/accounts/change-email.ts'
import { endAccess } from '../../src/accounts/end-access.ts'
import { users } from '../../src/db/schema/users.ts'
import {
  callerOf,
  changeUser,
  getMe,
  logIn,
  password,
  putMe,
  readUser,
  register,
  tryLogIn,
} from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'
import { expectExactRevocation } from '../support/revocation.ts'

async function loggedIn() {
  const app = await createTestApp()
  const { id } = await register(app)
  return { app, id, token: await logIn(app) }
}

const logOutEverywhere = (app: TestApp, id: number) => app.db.transaction((tx) => endAccess(app.ctx, tx, id))

test('a deactivated user is refused immediately, even with a valid token', async () => {
  const { app, id, token } = await loggedIn()
  await changeUser(app, id, { isActive: false })
  expectProblem(await getMe(app, token), 'invalid_token')
  expectProblem(await putMe(app, token, { email: 'new@example.com' }), 'invalid_token')
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
})

test('revoked tokens stay revoked, and a new login in the same second works', async () => {
  const { app, id, token } = await loggedIn()
  await logOutEverywhere(app, id)
  expectProblem(await getMe(app, token), 'invalid_token')
  const newToken = await logIn(app)
  expect((await getMe(app, newToken)).statusCode).toBe(200)
  app.clock.advance(60)
  expectProblem(await getMe(app, token), 'invalid_token')
  expect((await getMe(app, newToken)).statusCode).toBe(200)
})

test('the token of a deleted user does not give access to another account', async () => {
  const { app, id, token } = await loggedIn()
  await app.db.transaction(async (tx) => void (await tx.delete(users).where(eq(users.id, id))))
  expectProblem(await getMe(app, token), 'invalid_token')
  expect((await register(app)).id).not.toBe(id)
  expectProblem(await getMe(app, token), 'invalid_token')
})

test.each([
  ['deactivated', (app: TestApp, id: number) => changeUser(app, id, { isActive: false })],
  ['logged out everywhere', logOutEverywhere],
])('a user who is %s while their request is running changes nothing', async (_case, lockOut) => {
  const { app, id, token } = await loggedIn()
  const caller = await callerOf(app, token)
  await lockOut(app, id)
  await expect(changeEmail(app.ctx, caller, 'new@example.com')).rejects.toMatchObject({
    problem: { code: 'invalid_token' },
  })
  expect((await readUser(app, id)).email).toBe('alice@example.com')
})

// A thief keeps sending requests: none that arrives after the revocation may be answered from before it.
test('under load, deactivated users are refused at once on both instances', () =>
  expectExactRevocation((app, { id }) => changeUser(app, id, { isActive: false })))

test('under load, revoked access is refused at once on both instances', () =>
  expectExactRevocation((app, { id }) => logOutEverywhere(app, id)))
