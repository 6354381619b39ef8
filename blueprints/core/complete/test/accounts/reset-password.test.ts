import { describe, expect, test } from 'vitest'
import { changeUser, getMe, logIn, password, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import {
  forgotPassword,
  newPassword,
  refresh,
  requestReset,
  resetPassword,
  startSession,
  verify,
} from '../support/flows.ts'
import { emailedToken, emailedTokens, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

async function forgetful() {
  const app = await createTestApp()
  const { id } = await register(app)
  return { app, id, token: await requestReset(app) }
}

test('the token from the email sets a new password', async () => {
  const { app, token } = await forgetful()
  const response = await resetPassword(app, token)
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({ message: 'Password has been reset' })
  await logIn(app, 'alice', newPassword)
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
})

test('a weak password is refused and does not consume the token', async () => {
  const { app, token } = await forgetful()
  for (let time = 0; time < 12; time += 1)
    expectProblem(await resetPassword(app, token, 'short'), 'weak_password')
  expect((await resetPassword(app, token)).statusCode).toBe(200)
})

test('a reset does not log the user in', async () => {
  const { app, token } = await forgetful()
  const { body, headers } = await resetPassword(app, token)
  expect(JSON.parse(body)).toEqual({ message: 'Password has been reset' })
  expect(headers).not.toHaveProperty('set-cookie')
})

test('the user gets a notice', async () => {
  const { app, token } = await forgetful()
  await resetPassword(app, token)
  expect((await emailsTo(app)).at(-1)).toMatchObject({
    template: 'password_changed',
    variables: { username: 'alice' },
  })
})

// A stolen password, and sessions opened with it, must become useless.
describe('a reset ends', () => {
  test('all sessions', async () => {
    const { app, token } = await forgetful()
    const sessions = [await startSession(app), await startSession(app)]
    await resetPassword(app, token)
    for (const { accessToken, refreshToken } of sessions) {
      expectProblem(await getMe(app, accessToken), 'invalid_token')
      expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
    }
  })

  test('no session of another user', async () => {
    const { app, token } = await forgetful()
    await register(app, 'bob')
    const bob = await startSession(app, 'bob')
    await resetPassword(app, token)
    expect((await getMe(app, bob.accessToken)).statusCode).toBe(200)
    expect((await refresh(app, bob.refreshToken)).statusCode).toBe(200)
  })

  test('all emailed tokens', async () => {
    const { app, token } = await forgetful()
    const verification = await emailedToken(app, 'verification')
    await resetPassword(app, token)
    expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
    expectProblem(await verify(app, verification), 'invalid_or_expired_token')
  })

  test('the limits on failed logins by username and by email, so the user can log in immediately', async () => {
    const app = await createTestApp()
    await register(app, 'Alice')
    const token = await requestReset(app)
    const names = ['ALICE', 'Alice@EXAMPLE.com']
    for (const name of names) {
      for (let time = 0; time < 5; time += 1) await tryLogIn(app, name, 'Wrong-Horse-7')
      expectProblem(await tryLogIn(app, name, password), 'too_many_requests')
    }
    await resetPassword(app, token)
    for (const name of names) expect((await tryLogIn(app, name, newPassword)).statusCode).toBe(200)
  })
})

// Otherwise every reset would allow another email.
test('a reset does not end the limit on requested emails', async () => {
  const { app, token } = await forgetful()
  await resetPassword(app, token)
  await forgotPassword(app)
  expect(await emailedTokens(app, 'reset')).toHaveLength(1)
})

describe('a token is invalid', () => {
  test('as soon as a newer one is emailed', async () => {
    const { app, token } = await forgetful()
    app.clock.advance(60)
    const newer = await requestReset(app)
    expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
    expect((await resetPassword(app, newer)).statusCode).toBe(200)
  })

  test('after 30 minutes, not before', async () => {
    const { app, token } = await forgetful()
    app.clock.advance(30 * 60)
    expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
    const other = await requestReset(app)
    app.clock.advance(30 * 60 - 1)
    expect((await resetPassword(app, other)).statusCode).toBe(200)
  })

  test('earlier if EMAIL_EXPIRATION is shorter', async () => {
    const app = await createTestApp({ EMAIL_EXPIRATION: '60' })
    await register(app)
    const token = await requestReset(app)
    app.clock.advance(60)
    expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
  })

  test('for a deactivated user', async () => {
    const { app, id, token } = await forgetful()
    await changeUser(app, id, { isActive: false })
    const { hashedPassword } = await readUser(app, id)
    expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
    expect((await readUser(app, id)).hashedPassword).toBe(hashedPassword)
  })

  test('if it was issued for a verification', async () => {
    const { app } = await forgetful()
    const verification = await emailedToken(app, 'verification')
    expectProblem(await resetPassword(app, verification), 'invalid_or_expired_token')
    expect((await verify(app, verification)).statusCode).toBe(200)
  })

  test('if the service did not issue it', async () => {
    const { app } = await forgetful()
    expectProblem(await resetPassword(app, 'nonsense'), 'invalid_or_expired_token')
  })
})
