import { describe, expect, test } from 'vitest'
import { changeUser, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { requestReset, resendVerification, verify } from '../support/flows.ts'
import { emailedToken, emailedTokens } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

async function registered() {
  const app = await createTestApp()
  const { id } = await register(app)
  const isVerified = async () => (await readUser(app, id)).isVerified
  return { app, id, isVerified, token: await emailedToken(app, 'verification') }
}

test('the token from the email verifies the user', async () => {
  const { app, isVerified, token } = await registered()
  expect(await isVerified()).toBe(false)
  const response = await verify(app, token)
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({ message: 'Email verified' })
  expect(await isVerified()).toBe(true)
})

test('a token verifies only its user', async () => {
  const { app, token } = await registered()
  const bob = await register(app, 'bob')
  await verify(app, token)
  expect((await readUser(app, bob.id)).isVerified).toBe(false)
})

describe('a token is invalid', () => {
  test('after it was used', async () => {
    const { app, token } = await registered()
    await verify(app, token)
    expectProblem(await verify(app, token), 'invalid_or_expired_token')
  })

  test('as soon as a newer one is emailed', async () => {
    const { app, isVerified, token } = await registered()
    await resendVerification(app)
    expectProblem(await verify(app, token), 'invalid_or_expired_token')
    expect(await isVerified()).toBe(false)
    expect((await verify(app, await emailedToken(app, 'verification'))).statusCode).toBe(200)
  })

  test('after an hour, not before', async () => {
    const { app, token } = await registered()
    app.clock.advance(3600)
    expectProblem(await verify(app, token), 'invalid_or_expired_token')
    await resendVerification(app)
    app.clock.advance(3599)
    expect((await verify(app, await emailedToken(app, 'verification'))).statusCode).toBe(200)
  })

  test('for a deactivated user', async () => {
    const { app, id, isVerified, token } = await registered()
    await changeUser(app, id, { isActive: false })
    expectProblem(await verify(app, token), 'invalid_or_expired_token')
    expect(await isVerified()).toBe(false)
  })

  test('if it was issued for a password reset', async () => {
    const { app, isVerified } = await registered()
    expectProblem(await verify(app, await requestReset(app)), 'invalid_or_expired_token')
    expect(await isVerified()).toBe(false)
  })

  test.each(['', 'nonsense', '0000-0000-0000-0000', 'a'.repeat(43), 'a'.repeat(512)])(
    'if the service did not issue it: %s',
    async (token) => {
      const { app } = await registered()
      expectProblem(await verify(app, token), 'invalid_or_expired_token')
    },
  )
})

test('EMAIL_EXPIRATION sets the lifetime', async () => {
  const app = await createTestApp({ EMAIL_EXPIRATION: '120' })
  await register(app)
  app.clock.advance(120)
  expectProblem(await verify(app, await emailedToken(app, 'verification')), 'invalid_or_expired_token')
})

test('tokens are unique', async () => {
  const { app } = await registered()
  for (let time = 0; time < 3; time += 1) {
    app.clock.advance(3600)
    await resendVerification(app)
  }
  const tokens = await emailedTokens(app, 'verification')
  expect(new Set(tokens).size).toBe(4)
})
