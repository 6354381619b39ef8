import { describe, expect, test } from 'vitest'
import { changeUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { forgotPassword, registerVerified, resendVerification, verify } from '../support/flows.ts'
import { emailedTokens, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

async function registered(env: Record<string, string> = {}) {
  const app = await createTestApp(env)
  const { id } = await register(app)
  /** Number of emails after the one of the registration. */
  const resent = async () => (await emailedTokens(app, 'verification')).length - 1
  return { app, id, resent }
}

test('an unverified user gets a new token', async () => {
  const { app, resent } = await registered()
  const response = await resendVerification(app, 'Alice@Example.com')
  expect(response.statusCode).toBe(202)
  expect(response.json()).toEqual({
    message: 'If the address belongs to an unverified user, a verification email is on its way',
  })
  expect(await resent()).toBe(1)
  const [first = '', second = ''] = await emailedTokens(app, 'verification')
  expectProblem(await verify(app, first), 'invalid_or_expired_token')
  expect((await verify(app, second)).statusCode).toBe(200)
})

describe('no email is sent to', () => {
  test('a verified user', async () => {
    const app = await createTestApp()
    await registerVerified(app)
    const before = await emailsTo(app)
    expect((await resendVerification(app)).statusCode).toBe(202)
    expect(await emailsTo(app)).toEqual(before)
  })

  test('an inactive user', async () => {
    const { app, id, resent } = await registered()
    await changeUser(app, id, { isActive: false })
    expect((await resendVerification(app)).statusCode).toBe(202)
    expect(await resent()).toBe(0)
  })

  test('an unknown address', async () => {
    const { app } = await registered()
    expect((await resendVerification(app, 'nobody@example.com')).statusCode).toBe(202)
    expect(await emailsTo(app, 'nobody@example.com')).toEqual([])
  })
})

test.each(['alice', '', 'alice@example.com\r\nBcc: everybody@example.com'])(
  '%j is refused as an address',
  async (email) => {
    const { app } = await registered()
    expectProblem(await resendVerification(app, email), 'validation_failed')
  },
)

// Otherwise an attacker could flood a mailbox.
describe('emails to one address', () => {
  test('are limited to one per minute', async () => {
    const { app, resent } = await registered()
    for (let time = 0; time < 3; time += 1) expect((await resendVerification(app)).statusCode).toBe(202)
    app.clock.advance(59)
    await resendVerification(app)
    expect(await resent()).toBe(1)
    app.clock.advance(1)
    await resendVerification(app)
    expect(await resent()).toBe(2)
  })

  test('are limited to 5 per lifetime of the token, with that of the registration', async () => {
    const { app, resent } = await registered()
    for (let minute = 0; minute < 60; minute += 1) {
      await resendVerification(app)
      app.clock.advance(60)
    }
    expect(await resent()).toBe(4)
    await resendVerification(app)
    expect(await resent()).toBe(5)
  })

  test('do not limit emails to another address', async () => {
    const { app } = await registered()
    await register(app, 'bob')
    await resendVerification(app)
    await resendVerification(app, 'bob@example.com')
    expect(await emailedTokens(app, 'verification', 'bob@example.com')).toHaveLength(2)
  })

  test('have configurable limits', async () => {
    const { app, resent } = await registered({
      RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0',
      RATE_LIMIT_MAILS: '3',
    })
    for (let time = 0; time < 4; time += 1) await resendVerification(app)
    expect(await resent()).toBe(2)
  })

  test('are not limited if the limits are off', async () => {
    const { app, resent } = await registered({ RATE_LIMIT_ENABLED: 'false' })
    for (let time = 0; time < 9; time += 1) await resendVerification(app)
    expect(await resent()).toBe(9)
  })
})

// Otherwise an attacker could block the password reset of a user by requesting verifications.
test('requests for a verification do not count against password resets', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  for (let time = 0; time < 6; time += 1) {
    await resendVerification(app)
    app.clock.advance(60)
  }
  await forgotPassword(app)
  expect(await emailedTokens(app, 'reset')).toHaveLength(1)
})
