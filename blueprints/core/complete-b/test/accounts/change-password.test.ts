import { describe, expect, test } from 'vitest'
import { bearer, changeUser, getMe, logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import {
  newPassword,
  post,
  refresh,
  requestReset,
  resetPassword,
  startSession,
  tokensIn,
  verify,
} from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

async function loggedIn() {
  const app = await createTestApp()
  const { id } = await register(app)
  return { app, id, ...(await startSession(app)) }
}

const changePassword = (
  app: TestApp,
  accessToken: string | undefined,
  current = password,
  next = newPassword,
) => post(app, 'change-password', { current_password: current, new_password: next }, accessToken)

test('the current password is replaced, and the response has tokens of a new session', async () => {
  const { app, accessToken } = await loggedIn()
  const response = await changePassword(app, accessToken)
  expect(response.json()).toEqual({
    access_token: expect.any(String),
    token_type: 'bearer',
    expires_in: expect.any(Number),
    refresh_token: expect.any(String),
  })
  const tokens = tokensIn(response)
  expect((await getMe(app, tokens.accessToken)).statusCode).toBe(200)
  expect((await refresh(app, tokens.refreshToken)).statusCode).toBe(200)
  await logIn(app, 'alice', newPassword)
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
})

test('the device keeps its name', async () => {
  const { app } = await loggedIn()
  const device = { device_name: "Alice's phone", device_type: 'mobile' }
  const login = { method: 'POST' as const, url: '/api/v1/auth/login' }
  const session = await app.inject({ ...login, body: { username: 'alice', password, ...device } })
  const tokens = tokensIn(await changePassword(app, tokensIn(session).accessToken))
  const list = await app.inject({ url: '/api/v1/auth/devices', headers: bearer(tokens.accessToken) })
  expect(list.json().devices).toMatchObject([{ ...device, is_current: true }])
})

// A stolen password, and sessions opened with it, must become useless.
describe('a change ends', () => {
  test('all older sessions, including the current one', async () => {
    const { app, accessToken, refreshToken } = await loggedIn()
    const other = await startSession(app)
    await changePassword(app, accessToken)
    for (const token of [accessToken, other.accessToken])
      expectProblem(await getMe(app, token), 'invalid_token')
    for (const token of [refreshToken, other.refreshToken])
      expectProblem(await refresh(app, token), 'invalid_refresh_token')
  })

  test('no session of another user', async () => {
    const { app, accessToken } = await loggedIn()
    await register(app, 'bob')
    const bob = await startSession(app, 'bob')
    await changePassword(app, accessToken)
    expect((await getMe(app, bob.accessToken)).statusCode).toBe(200)
  })

  test('all emailed codes', async () => {
    const { app, accessToken } = await loggedIn()
    const verification = await emailedToken(app, 'verification')
    const reset = await requestReset(app)
    await changePassword(app, accessToken)
    expectProblem(await resetPassword(app, reset), 'invalid_or_expired_token')
    expectProblem(await verify(app, verification), 'invalid_or_expired_token')
  })
})

test('the user gets a notice', async () => {
  const { app, accessToken } = await loggedIn()
  await changePassword(app, accessToken)
  expect((await emailsTo(app)).at(-1)).toMatchObject({
    template: 'password_changed',
    variables: { username: 'alice' },
  })
})

describe('a change is refused', () => {
  /** Expects that the old password works, the session is live and no notice was sent. */
  async function expectUnchanged(app: TestApp, accessToken: string) {
    expect((await getMe(app, accessToken)).statusCode).toBe(200)
    expect((await tryLogIn(app, 'alice', password, '192.0.2.99')).statusCode).toBe(200)
    expect(await emailsTo(app)).toHaveLength(1)
  }

  test('with a wrong current password', async () => {
    const { app, accessToken } = await loggedIn()
    const response = await changePassword(app, accessToken, 'Wrong-Horse-7')
    expectProblem(response, 'wrong_current_password')
    expect(response.headers).not.toHaveProperty('www-authenticate')
    await expectUnchanged(app, accessToken)
  })

  test('if the new password is the current one', async () => {
    const { app, accessToken } = await loggedIn()
    const { errors } = expectProblem(
      await changePassword(app, accessToken, password, password),
      'validation_failed',
    )
    expect(errors).toEqual([
      {
        field: 'new_password',
        code: 'password_unchanged',
        message: 'New password must differ from the current password',
      },
    ])
    await expectUnchanged(app, accessToken)
  })

  test('if the new password is the current one in another Unicode form', async () => {
    const { app, accessToken } = await loggedIn()
    const response = await changePassword(app, accessToken, 'Caf\u00e9-Horse-7', 'Cafe\u0301-Horse-7')
    expectProblem(response, 'validation_failed')
  })

  test('with a weak new password', async () => {
    const { app, accessToken } = await loggedIn()
    expectProblem(await changePassword(app, accessToken, password, 'short'), 'weak_password')
    await expectUnchanged(app, accessToken)
  })

  test('without a session', async () => {
    const { app, id, accessToken } = await loggedIn()
    expectProblem(await changePassword(app, undefined), 'not_authenticated')
    await changeUser(app, id, { isActive: false })
    expectProblem(await changePassword(app, accessToken), 'invalid_token')
  })
})

// A stolen access token must not be usable to guess the password.
test('wrong passwords and failed logins share one limit', async () => {
  const { app, accessToken } = await loggedIn()
  const guess = (current: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/change-password',
      remoteAddress: '192.0.2.1',
      headers: bearer(accessToken),
      body: { current_password: current, new_password: newPassword },
    })
  for (let time = 0; time < 3; time += 1)
    expectProblem(await guess('Wrong-Horse-7'), 'wrong_current_password')
  for (let time = 0; time < 2; time += 1)
    expectProblem(await tryLogIn(app, 'alice', 'Wrong-Horse-7'), 'invalid_credentials')
  expectProblem(await guess(password), 'too_many_requests')
  expectProblem(await tryLogIn(app, 'alice', password), 'too_many_requests')
})
