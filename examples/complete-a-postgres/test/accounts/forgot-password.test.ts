import { describe, expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { changeUser, logIn, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import {
  forgotPassword,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  undoEmailChange,
} from '../support/flows.ts'
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

describe('a former address', () => {
  /** A verified user who has moved from alice@example.com, with the token that undoes it. */
  async function moved() {
    const app = await createTestApp()
    const { id } = await registerVerified(app)
    await changeEmail(app, (await startSession(app)).accessToken, 'new@example.com')
    const undos = () => emailedTokens(app, 'undo')
    return { app, id, undos, first: (await undos())[0] ?? '' }
  }

  // Who reads the mailbox for a minute can delete the first one.
  test('gets a new undo token, which voids the one before', async () => {
    const { app, id, undos, first } = await moved()
    const response = await forgotPassword(app, 'Alice@Example.com')
    expect([response.statusCode, await emailedTokens(app, 'reset')]).toEqual([202, []])
    const [, second = ''] = await undos()
    expectProblem(await undoEmailChange(app, first), 'invalid_or_expired_token')
    expect((await undoEmailChange(app, second)).statusCode).toBe(200)
    expect((await readUser(app, id)).email).toBe('alice@example.com')
  })

  test('of a deactivated user gets one too', async () => {
    const { app, id, undos } = await moved()
    await changeUser(app, id, { isActive: false })
    await forgotPassword(app)
    expect(await undos()).toHaveLength(2)
  })

  test('gets it within the limits of resets, and the last token stays valid', async () => {
    const { app, undos } = await moved()
    for (let minute = 0; minute < 8; minute += 1) {
      await forgotPassword(app)
      await forgotPassword(app)
      app.clock.advance(61)
    }
    expect(await undos()).toHaveLength(1 + 5)
    expect((await undoEmailChange(app, (await undos()).at(-1) ?? '')).statusCode).toBe(200)
  })

  test.each([
    [7 * 24 * 60 * 60 - 1, 200],
    [7 * 24 * 60 * 60, 400],
  ])('gets one that ends with the first: %i seconds after the change %i', async (at, status) => {
    const { app, undos } = await moved()
    app.clock.advance(60 * 60)
    await forgotPassword(app)
    app.clock.advance(at - 60 * 60)
    expect((await undoEmailChange(app, (await undos()).at(-1) ?? '')).statusCode).toBe(status)
  })

  test('gets nothing more once the change cannot be undone, and the new address gets resets', async () => {
    const { app, undos } = await moved()
    app.clock.advance(7 * 24 * 60 * 60)
    await forgotPassword(app)
    expect(await undos()).toHaveLength(1)
    await forgotPassword(app, 'new@example.com')
    expect(await emailedTokens(app, 'reset', 'new@example.com')).toHaveLength(1)
  })
})
