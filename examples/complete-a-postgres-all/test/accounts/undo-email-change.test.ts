import { expect, test } from 'vitest'
import { changeUser, getMe, password, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import {
  newPassword,
  post,
  registerVerified,
  resetPassword,
  startSession,
  undoEmailChange,
} from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const newEmail = 'new@example.com'
const day = 24 * 60 * 60

/** A verified user who has changed their address. */
async function changed() {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  const { accessToken } = await startSession(app)
  await changeEmail(app, accessToken, newEmail)
  return { app, id, accessToken, token: await emailedToken(app, 'undo') }
}

test('restores the address, ends all sessions, makes the password unusable and emails a reset', async () => {
  const { app, id, accessToken, token } = await changed()
  const response = await undoEmailChange(app, token)
  expect([response.statusCode, response.json()]).toEqual([200, { message: 'Email change undone' }])
  expect(await readUser(app, id)).toMatchObject({ email: 'alice@example.com', isVerified: true })
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
  expect((await resetPassword(app, await emailedToken(app, 'restored'))).statusCode).toBe(200)
  expect((await tryLogIn(app, 'alice', newPassword)).statusCode).toBe(200)
})

test('a token works once and expires after 7 days', async () => {
  const used = await changed()
  await undoEmailChange(used.app, used.token)
  expectProblem(await undoEmailChange(used.app, used.token), 'invalid_or_expired_token')

  const expired = await changed()
  expired.app.clock.advance(7 * day)
  expectProblem(await undoEmailChange(expired.app, expired.token), 'invalid_or_expired_token')
  const late = await changed()
  late.app.clock.advance(7 * day - 1)
  expect((await undoEmailChange(late.app, late.token)).statusCode).toBe(200)
})

test.each([
  [30 * day - 1, 200],
  [30 * day, 400],
])('further changes renew the token, but not beyond 30 days: after %i seconds %i', async (at, status) => {
  const { app, token } = await changed()
  for (const number of [1, 2, 3, 4]) {
    app.clock.advance(6 * day)
    const { accessToken } = await startSession(app)
    await changeEmail(app, accessToken, `new${number}@example.com`)
  }
  app.clock.advance(at - 24 * day)
  expect((await undoEmailChange(app, token)).statusCode).toBe(status)
})

test('a deactivated user gets their address back, and stays deactivated', async () => {
  const { app, id, token } = await changed()
  await changeUser(app, id, { isActive: false })
  expect((await undoEmailChange(app, token)).statusCode).toBe(200)
  expect(await readUser(app, id)).toMatchObject({ email: 'alice@example.com', isActive: false })
})

test('the address that goes gets a notice, without a token', async () => {
  const { app, token } = await changed()
  await undoEmailChange(app, token)
  expect((await emailsTo(app, newEmail)).at(-1)?.template).toBe('email_changed')
})

// Mode basic does not know who has an address back.
test('a token for an address that another user has by now is refused', async () => {
  const { app, token } = await changed()
  const { id } = await register(app, 'bob')
  await changeUser(app, id, { email: 'alice@example.com' })
  expectProblem(await undoEmailChange(app, token), 'invalid_or_expired_token')
  await changeUser(app, id, { email: 'bob@example.com' })
  expect((await undoEmailChange(app, token)).statusCode).toBe(200)
})

// A thief whom the owner threw out by the change must not keep what they had added.
test('a change back to the address is the undo, and its email says so', async () => {
  const { app, id, accessToken, token } = await changed()
  const before = await emailsTo(app, newEmail)
  const response = await changeEmail(app, accessToken, 'alice@example.com')
  expect([response.statusCode, response.json()]).toEqual([200, { message: 'Email change undone' }])
  expect(await readUser(app, id)).toMatchObject({ email: 'alice@example.com', isVerified: true })
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
  expectProblem(await undoEmailChange(app, token), 'invalid_or_expired_token')
  const notices = (await emailsTo(app, newEmail)).slice(before.length)
  expect(notices.map(({ template }) => template)).toEqual(['email_change_requested', 'email_changed'])
  const emails = (await emailsTo(app)).map(({ template }) => template)
  expect(emails.slice(-2)).toEqual(['confirm_former_email', 'email_restored'])
  expect((await resetPassword(app, await emailedToken(app, 'restored'))).statusCode).toBe(200)
})

test('a change back after the 7 days is a change', async () => {
  const { app, accessToken } = await changed()
  app.clock.advance(7 * day)
  const later = await startSession(app)
  const response = await changeEmail(app, later.accessToken, 'alice@example.com')
  expect(response.json()).toEqual({ message: 'Email verified' })
  expect((await emailsTo(app)).at(-1)?.template).toBe('confirm_email_change')
  expect((await getMe(app, later.accessToken)).statusCode).toBe(200)
  expectProblem(await getMe(app, accessToken), 'token_expired')
})

test.each([{}, { token: 1 }, { token: 'x', email: newEmail }])('%j is refused', async (body) => {
  const app = await createTestApp()
  expectProblem(await post(app, 'undo-email-change', body), 'validation_failed')
})
