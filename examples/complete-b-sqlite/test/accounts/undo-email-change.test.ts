import { expect, test } from 'vitest'
import { changeUser, getMe, putMe, readUser } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { post, registerVerified, startSession, undoEmailChange, verify } from '../support/flows.ts'
import { mailedToken, mailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const newEmail = 'new@example.com'
const sevenDays = 7 * 24 * 60 * 60

/** A verified user who has changed their address. */
async function changed() {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  const { accessToken } = await startSession(app)
  await putMe(app, accessToken, { email: newEmail })
  return { app, id, accessToken, token: await mailedToken(app, 'undo') }
}

test('restores the verified address and ends all sessions', async () => {
  const { app, id, accessToken, token } = await changed()
  const response = await undoEmailChange(app, token)
  expect([response.statusCode, response.json()]).toEqual([200, { message: 'Email change undone' }])
  expect(await readUser(app, id)).toMatchObject({
    email: 'alice@example.com',
    isVerified: true,
    verifiedEmail: null,
  })
  expectProblem(await getMe(app, accessToken), 'invalid_token')
})

test('a token works once and expires after 7 days', async () => {
  const used = await changed()
  await undoEmailChange(used.app, used.token)
  expectProblem(await undoEmailChange(used.app, used.token), 'invalid_or_expired_token')

  const expired = await changed()
  expired.app.clock.advance(sevenDays)
  expectProblem(await undoEmailChange(expired.app, expired.token), 'invalid_or_expired_token')
  const late = await changed()
  late.app.clock.advance(sevenDays - 1)
  expect((await undoEmailChange(late.app, late.token)).statusCode).toBe(200)
})

test('a deactivated user cannot undo a change', async () => {
  const { app, id, token } = await changed()
  await changeUser(app, id, { isActive: false })
  expectProblem(await undoEmailChange(app, token), 'invalid_or_expired_token')
})

test('a verified address that is replaced gets a notice, an unverified one does not', async () => {
  const unverified = await changed()
  const before = await mailsTo(unverified.app, newEmail)
  await undoEmailChange(unverified.app, unverified.token)
  expect(await mailsTo(unverified.app, newEmail)).toEqual(before)

  const { app, token } = await changed()
  await verify(app, await mailedToken(app, 'verification', newEmail))
  await undoEmailChange(app, token)
  expect((await mailsTo(app, newEmail)).at(-1)?.template).toBe('email_changed')
})

test.each([{}, { token: 1 }, { token: 'x', email: newEmail }])('%j is refused', async (body) => {
  const app = await createTestApp()
  expectProblem(await post(app, 'undo-email-change', body), 'validation_failed')
})
