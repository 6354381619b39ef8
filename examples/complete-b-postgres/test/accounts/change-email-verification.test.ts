import { describe, expect, test } from 'vitest'
import { getMe, password, putMe, readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import {
  forgotPassword,
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  tokensIn,
  verify,
} from '../support/flows.ts'
import { mailedToken, mailedTokens, mailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const newEmail = 'new@example.com'

const changeEmail = (app: TestApp, accessToken: string, body: object = { email: newEmail }) =>
  putMe(app, accessToken, body)

async function loggedIn() {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  return { app, id, ...(await startSession(app)) }
}

test('a user with a new address is unverified until they confirm it', async () => {
  const { app, id, accessToken } = await loggedIn()
  expect((await changeEmail(app, accessToken)).json()).toMatchObject({ email: newEmail, is_verified: false })
  await verify(app, await mailedToken(app, 'verification', newEmail))
  expect((await readUser(app, id)).isVerified).toBe(true)
})

test('the last verified address gets a notice of each change, with a token to undo it', async () => {
  const { app, accessToken } = await loggedIn()
  const before = await mailsTo(app)
  await changeEmail(app, accessToken)
  await changeEmail(app, accessToken, { email: 'third@example.com' })
  const notice = {
    template: 'undo_email_change',
    variables: { username: 'alice', undo_url: expect.stringContaining('/undo-email-change#token=') },
  }
  expect((await mailsTo(app)).slice(before.length)).toMatchObject([notice, notice])
  expect(await mailsTo(app, newEmail)).toHaveLength(1)
})

test('an address that was never verified gets a notice without a token', async () => {
  const app = await createTestApp()
  await register(app)
  const before = await mailsTo(app)
  await changeEmail(app, (await startSession(app)).accessToken)
  expect((await mailsTo(app)).slice(before.length)).toMatchObject([
    { template: 'email_changed', variables: { username: 'alice' } },
  ])
})

test('a change back to the last verified address needs no mail', async () => {
  const { app, id, accessToken } = await loggedIn()
  await changeEmail(app, accessToken)
  const before = await mailsTo(app)
  const back = await changeEmail(app, accessToken, { email: 'alice@example.com' })
  expect(back.json()).toMatchObject({ email: 'alice@example.com', is_verified: true })
  expect(await mailsTo(app)).toEqual(before)
  expect((await readUser(app, id)).verifiedEmail).toBe(null)
})

// The owner of the old mailbox must not be able to access the account.
describe('tokens mailed to the old address are revoked', () => {
  test('a password reset', async () => {
    const { app, accessToken } = await loggedIn()
    const token = await requestReset(app)
    await changeEmail(app, accessToken)
    expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
    await forgotPassword(app)
    expect(await mailedTokens(app, 'reset')).toHaveLength(1)
  })

  test('a verification, which would confirm the new address without a proof', async () => {
    const { app, id, accessToken } = await loggedIn()
    await changeEmail(app, accessToken)
    const token = await mailedToken(app, 'verification', newEmail)
    await changeEmail(app, accessToken, { email: 'third@example.com' })
    expectProblem(await verify(app, token), 'invalid_or_expired_token')
    expect((await readUser(app, id)).isVerified).toBe(false)
  })
})

test('the same address stays verified, and no mail is sent', async () => {
  const { app, accessToken } = await loggedIn()
  const before = await mailsTo(app)
  const response = await changeEmail(app, accessToken, { email: 'ALICE@example.com' })
  expect(response.json()).toMatchObject({ is_verified: true })
  expect(await mailsTo(app)).toEqual(before)
})

test("another user's address is refused, and no mail is sent", async () => {
  const { app, accessToken } = await loggedIn()
  await registerVerified(app, 'bob')
  const before = [await mailsTo(app), await mailsTo(app, 'bob@example.com')]
  expectProblem(await changeEmail(app, accessToken, { email: 'bob@example.com' }), 'already_registered')
  expect([await mailsTo(app), await mailsTo(app, 'bob@example.com')]).toEqual(before)
  expect((await getMe(app, accessToken)).json()).toMatchObject({
    email: 'alice@example.com',
    is_verified: true,
  })
})

// Otherwise a stolen refresh token would be enough to take over the account.
test('a refresh does not extend the 10 minutes after the login', async () => {
  const { app, refreshToken } = await loggedIn()
  app.clock.advance(10 * 60)
  const fresh = tokensIn(await refresh(app, refreshToken))
  expect((await changeEmail(app, fresh.accessToken)).statusCode).toBe(200)
  app.clock.advance(1)
  const later = tokensIn(await refresh(app, fresh.refreshToken))
  const email = 'third@example.com'
  expectProblem(await changeEmail(app, later.accessToken, { email }), 'reauthentication_required')
  const proved = await changeEmail(app, later.accessToken, { email, current_password: password })
  expect(proved.statusCode).toBe(200)
})
