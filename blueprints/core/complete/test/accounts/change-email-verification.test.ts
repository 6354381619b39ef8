import { describe, expect, test } from 'vitest'
import { getMe, logIn, password, putMe, readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import {
  forgotPassword,
  refresh,
  registerVerified,
  requestReset,
  resendVerification,
  resetPassword,
  runCleanUp,
  startSession,
  tokensIn,
  verify,
} from '../support/flows.ts'
import { emailedToken, emailedTokens, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const newEmail = 'new@example.com'
const hour = 60 * 60

async function loggedIn() {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  return { app, id, ...(await startSession(app)) }
}

const pendingOf = async (app: TestApp, token: string) => (await getMe(app, token)).json().pending_email

describe('a request', () => {
  test('changes nothing until the new address answers', async () => {
    const { app, accessToken } = await loggedIn()
    const answer = {
      email: 'alice@example.com',
      is_verified: true,
      pending_email: newEmail,
    }
    const response = await putMe(app, accessToken, { email: newEmail })
    expect([response.statusCode, response.json()]).toEqual([200, expect.objectContaining(answer)])
    expect((await getMe(app, accessToken)).json()).toMatchObject(answer)
  })

  test('emails a token to the new address, and a notice to the current one', async () => {
    const { app, accessToken } = await loggedIn()
    const before = await emailsTo(app)
    await putMe(app, accessToken, { email: newEmail })
    expect(await emailsTo(app, newEmail)).toMatchObject([
      { template: 'confirm_email_change', variables: { username: 'alice' } },
    ])
    expect((await emailsTo(app)).slice(before.length)).toMatchObject([
      {
        template: 'email_change_requested',
        variables: { username: 'alice', new_email: 'new@example[.]com' },
      },
    ])
  })

  test('replaces the one before it', async () => {
    const { app, accessToken } = await loggedIn()
    await putMe(app, accessToken, { email: newEmail })
    const first = await emailedToken(app, 'confirm', newEmail)
    await putMe(app, accessToken, { email: 'third@example.com' })
    expectProblem(await verify(app, first, accessToken), 'invalid_or_expired_token')
    expect(await pendingOf(app, accessToken)).toBe('third@example.com')
  })

  test('ends after an hour, whether the clean-up ran or not', async () => {
    const { app, id, accessToken } = await loggedIn()
    await putMe(app, accessToken, { email: newEmail })
    const token = await emailedToken(app, 'confirm', newEmail)
    app.clock.advance(hour)
    const later = await logIn(app)
    expect(await pendingOf(app, later)).toBe(undefined)
    expectProblem(await verify(app, token, later), 'invalid_or_expired_token')
    expect((await readUser(app, id)).pendingEmail).toBe(newEmail)
    app.clock.advance(1)
    await runCleanUp(app)
    expect(await readUser(app, id)).toMatchObject({ email: 'alice@example.com', pendingEmail: null })
  })

  test('is cancelled by the current address, also later than 10 minutes after the login', async () => {
    const { app, accessToken } = await loggedIn()
    await putMe(app, accessToken, { email: newEmail })
    const token = await emailedToken(app, 'confirm', newEmail)
    app.clock.advance(11 * 60)
    const response = await putMe(app, accessToken, { email: 'ALICE@example.com' })
    expect(response.statusCode).toBe(200)
    expect(response.json()).not.toHaveProperty('pending_email')
    expectProblem(await verify(app, token, accessToken), 'invalid_or_expired_token')
  })

  test('for an address with enough emails is refused, and the one before it stays', async () => {
    const { app, accessToken } = await loggedIn()
    for (let count = 0; count < 5; count += 1) await putMe(app, accessToken, { email: newEmail })
    const token = await emailedToken(app, 'confirm', newEmail)
    const refused = await putMe(app, accessToken, { email: newEmail })
    expectProblem(refused, 'too_many_requests')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await verify(app, token, accessToken)).statusCode).toBe(200)
  })

  test('for an address of another user is refused', async () => {
    const { app, accessToken } = await loggedIn()
    await registerVerified(app, 'bob')
    const before = await emailsTo(app, 'bob@example.com')
    expectProblem(await putMe(app, accessToken, { email: 'bob@example.com' }), 'already_registered')
    expect(await emailsTo(app, 'bob@example.com')).toEqual(before)
  })

  test('voids the verification of an address that was never verified', async () => {
    const app = await createTestApp()
    await register(app)
    const token = await emailedToken(app, 'verification')
    const accessToken = await logIn(app)
    await putMe(app, accessToken, { email: newEmail })
    expectProblem(await verify(app, token), 'invalid_or_expired_token')
    app.clock.advance(61)
    await resendVerification(app)
    expect(await emailedTokens(app, 'verification')).toEqual([token])
    await putMe(app, accessToken, { email: 'alice@example.com' })
    app.clock.advance(61)
    await resendVerification(app)
    expect((await verify(app, await emailedToken(app, 'verification'))).statusCode).toBe(200)
  })
})

describe('a confirmation', () => {
  test('changes the address', async () => {
    const { app, id, accessToken } = await loggedIn()
    const response = await changeEmail(app, accessToken, newEmail)
    expect([response.statusCode, response.json()]).toEqual([200, { message: 'Email verified' }])
    expect(await readUser(app, id)).toMatchObject({ email: newEmail, isVerified: true, pendingEmail: null })
    expect(await pendingOf(app, accessToken)).toBe(undefined)
  })

  test('needs the login of its user, and a refused one leaves the token unused', async () => {
    const { app, accessToken } = await loggedIn()
    await registerVerified(app, 'bob')
    await putMe(app, accessToken, { email: newEmail })
    const token = await emailedToken(app, 'confirm', newEmail)
    expectProblem(await verify(app, token), 'not_authenticated')
    expectProblem(await verify(app, token, 'no.token.x'), 'not_authenticated')
    expectProblem(await verify(app, token, await logIn(app, 'bob')), 'invalid_or_expired_token')
    expect((await verify(app, token, accessToken)).statusCode).toBe(200)
  })

  test('emails the verified former address a token that undoes the change', async () => {
    const { app, accessToken } = await loggedIn()
    await changeEmail(app, accessToken, newEmail)
    expect((await emailsTo(app)).at(-1)).toMatchObject({
      template: 'undo_email_change',
      variables: { username: 'alice', undo_url: expect.stringContaining('/undo-email-change#token=') },
    })
  })

  // It may be a stranger's, by a typing mistake at the registration.
  test('emails a former address that was never verified a notice without a token', async () => {
    const app = await createTestApp()
    await register(app)
    await changeEmail(app, await logIn(app), newEmail)
    expect((await emailsTo(app)).at(-1)).toMatchObject({ template: 'email_changed' })
    expect(await emailedTokens(app, 'undo')).toEqual([])
  })

  // The owner of the former mailbox must not be able to access the account.
  test('voids the tokens that were emailed before', async () => {
    const { app, accessToken } = await loggedIn()
    const token = await requestReset(app)
    await changeEmail(app, accessToken, newEmail)
    expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
    await forgotPassword(app)
    expect(await emailedTokens(app, 'reset')).toEqual([token])
  })

  test('of an address that someone registered meanwhile is refused', async () => {
    const { app, id, accessToken } = await loggedIn()
    await putMe(app, accessToken, { email: 'bob@example.com' })
    const token = await emailedToken(app, 'confirm', 'bob@example.com')
    await register(app, 'bob')
    expectProblem(await verify(app, token, accessToken), 'invalid_or_expired_token')
    expect((await readUser(app, id)).email).toBe('alice@example.com')
  })
})

// Otherwise a stolen refresh token would be enough to take over the account.
test('a refresh does not extend the 10 minutes after the login', async () => {
  const { app, refreshToken } = await loggedIn()
  app.clock.advance(10 * 60)
  const fresh = tokensIn(await refresh(app, refreshToken))
  expect((await putMe(app, fresh.accessToken, { email: newEmail })).statusCode).toBe(200)
  app.clock.advance(1)
  const later = tokensIn(await refresh(app, fresh.refreshToken))
  const email = 'third@example.com'
  expectProblem(await putMe(app, later.accessToken, { email }), 'reauthentication_required')
  const proved = await putMe(app, later.accessToken, { email, current_password: password })
  expect(proved.statusCode).toBe(200)
})
