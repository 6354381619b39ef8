import { describe, expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { changeUser, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { forgotPassword, registerVerified, requestReset, resetPassword } from '../support/flows.ts'
import { emailedTokens, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

async function registered() {
  const app = await createTestApp()
  const { id } = await register(app)
  return { app, id, resets: async () => (await emailedTokens(app, 'reset')).length }
}

test('an unverified user gets a token by email', async () => {
  const { app, resets } = await registered()
  const response = await forgotPassword(app, 'Alice@Example.com')
  expect(response.statusCode).toBe(202)
  expect(response.json()).toEqual({
    message: 'If the address belongs to a user, a password reset email is on its way',
  })
  expect(await resets()).toBe(1)
})

test('a verified user gets a token by email', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await forgotPassword(app)
  expect(await emailedTokens(app, 'reset')).toHaveLength(1)
})

test('no email is sent to an inactive user or an unknown address', async () => {
  const { app, id, resets } = await registered()
  await changeUser(app, id, { isActive: false })
  expect((await forgotPassword(app)).statusCode).toBe(202)
  expect(await resets()).toBe(0)
  expect((await forgotPassword(app, 'nobody@example.com')).statusCode).toBe(202)
  expect(await emailsTo(app, 'nobody@example.com')).toEqual([])
})

test('a username is not accepted as an address, so the response does not reveal whether it exists', async () => {
  const { app } = await registered()
  expectProblem(await forgotPassword(app, 'alice'), 'validation_failed')
})

test('a request changes nothing: the user stays logged in and the password stays valid', async () => {
  const { app } = await registered()
  await forgotPassword(app)
  await logIn(app)
})

describe('emails to one address', () => {
  test('are limited to one per minute and 5 per lifetime of the token', async () => {
    const { app, resets } = await registered()
    await forgotPassword(app)
    app.clock.advance(59)
    await forgotPassword(app)
    expect(await resets()).toBe(1)
    for (let minute = 1; minute < 29; minute += 1) {
      app.clock.advance(60)
      await forgotPassword(app)
    }
    expect(await resets()).toBe(5)
    app.clock.advance(61)
    await forgotPassword(app)
    expect(await resets()).toBe(6)
  })

  test('do not revoke the last token if they are not sent', async () => {
    const { app } = await registered()
    const token = await requestReset(app)
    await forgotPassword(app)
    expect((await resetPassword(app, token)).statusCode).toBe(200)
  })

  test('are counted for unknown addresses too', async () => {
    const { app } = await registered()
    await forgotPassword(app, 'bob@example.com')
    await register(app, 'bob')
    await forgotPassword(app, 'bob@example.com')
    expect(await emailedTokens(app, 'reset', 'bob@example.com')).toEqual([])
    app.clock.advance(60)
    await forgotPassword(app, 'bob@example.com')
    expect(await emailedTokens(app, 'reset', 'bob@example.com')).toHaveLength(1)
  })

  test('are counted without storing the address', async () => {
    const { app } = await registered()
    await forgotPassword(app, 'nobody@example.com')
    expect(JSON.stringify(await app.db.read.select().from(attempts))).not.toContain('nobody')
  })
})
