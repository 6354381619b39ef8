import { expect, test } from 'vitest'
import { deleteAccount } from '../../src/accounts/delete-account.ts'
import { completeLogin } from '../../src/accounts/log-in.ts'
import { users } from '../../src/db/schema/users.ts'
import { isFamiliar } from '../../src/limits/login-limit.ts'
import { deleteMe } from '../support/account-data.ts'
import {
  callerOf,
  changeUser,
  getMe,
  logIn,
  password,
  putMe,
  register,
  tryLogIn,
} from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

async function loggedIn(env: Record<string, string> = {}) {
  const app = await createTestApp(env)
  const user = await register(app)
  return { app, user, token: await logIn(app) }
}

test('without a valid access token, nothing is deleted', async () => {
  const { app } = await loggedIn()
  expectProblem(await deleteMe(app), 'not_authenticated')
  expectProblem(await deleteMe(app, 'made-up', { current_password: password }), 'invalid_token')
  expect(await app.db.read.$count(users)).toBe(1)
})

test('a thief of a token cannot guess the password here: the guesses count as failed logins', async () => {
  const { app, token } = await loggedIn()
  app.clock.advance(11 * 60)
  for (let guess = 0; guess < 5; guess++)
    expectProblem(
      await deleteMe(app, token, { current_password: `Wrong-Horse-${guess}` }),
      'wrong_current_password',
    )
  const refused = await deleteMe(app, token, { current_password: password })
  expectProblem(refused, 'too_many_requests')
  expect(refused.headers['retry-after']).toBeDefined()
  expectProblem(await tryLogIn(app, 'alice', password, '127.0.0.1'), 'too_many_requests')
})

test('a thief of a token with many addresses tries ten passwords an hour', async () => {
  const { app, token } = await loggedIn()
  app.clock.advance(11 * 60)
  const guess = (number: number) =>
    app.inject({
      method: 'DELETE',
      url: '/api/v1/users/me',
      headers: { authorization: `Bearer ${token}` },
      body: { current_password: `Wrong-Horse-${number}` },
      remoteAddress: `198.51.100.${number}`,
    })
  for (let number = 0; number < 10; number++) expectProblem(await guess(number), 'wrong_current_password')
  expectProblem(await guess(10), 'too_many_requests')
})

test('of 10 concurrent deletions exactly one succeeds, and the others find no access', async () => {
  const { app, token } = await loggedIn({ RATE_LIMIT_ENABLED: 'false' })
  const answers = await Promise.all(Array.from({ length: 10 }, () => deleteMe(app, token)))
  const statuses = answers.map(({ statusCode }) => statusCode).sort()
  expect(statuses).toEqual([204, ...Array.from({ length: 9 }, () => 401)])
})

test('a login or a change that runs at the same moment leaves no account and no valid token', async () => {
  const { app, token } = await loggedIn()
  const other = await logIn(app)
  const [deleted, ...raced] = await Promise.all([
    deleteMe(app, token),
    putMe(app, other, { email: 'new@example.com' }),
    ...Array.from({ length: 4 }, () => tryLogIn(app, 'alice', password)),
  ])
  expect(deleted?.statusCode).toBe(204)
  for (const response of raced) {
    if (response.statusCode !== 200) expect(response.statusCode).toBe(401)
    const { access_token: issued } = response.json<{ access_token?: string }>()
    if (issued) expectProblem(await getMe(app, issued), 'invalid_token')
  }
  expect(await app.db.read.$count(users)).toBe(0)
})

test('a login whose password was verified just before the deletion gets no token', async () => {
  const { app, user, token } = await loggedIn()
  const verified = await app.ctx.users.findById(user.id)
  if (!verified) throw new Error('The user is missing')
  await deleteMe(app, token)
  const given = { name: 'alice', password, client: { address: '192.0.2.1' } }
  const counted = { keys: [], giveBackToAddress: async () => {} }
  const login = completeLogin(app.ctx, given, { user: verified, ...counted })
  await expect(login).rejects.toMatchObject({ problem: { code: 'invalid_credentials' } })
})

test('a thief who has lost access after the password was checked deletes nothing', async () => {
  const { app, user, token } = await loggedIn()
  const caller = await callerOf(app, token)
  await changeUser(app, user.id, { isActive: false })
  const deletion = deleteAccount(app.ctx, caller)
  await expect(deletion).rejects.toMatchObject({ problem: { code: 'invalid_token' } })
  expect(await app.db.read.$count(users)).toBe(1)
})

test('the clients of a deleted user are forgotten', async () => {
  const { app, user, token } = await loggedIn()
  const familiar = () => app.db.transaction((tx) => isFamiliar(tx, user.id, '127.0.0.1', app.now()))
  expect(await familiar()).toBe(true)
  await deleteMe(app, token)
  expect(await familiar()).toBe(false)
})
