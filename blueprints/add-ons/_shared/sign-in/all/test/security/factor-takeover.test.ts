import { expect, test } from 'vitest'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { changeUser, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { newPassword, requestReset, resetPassword, tokensIn, undoEmailChange } from '../support/flows.ts'
import { addFactor, pendingIn, registerWithFactor, sendCode } from '../support/made-up-factor.ts'
import { emailedToken } from '../support/mailbox.ts'

async function withFactor() {
  const app = await createTestApp()
  const owners = addFactor()
  const user = await registerWithFactor(app, owners)
  const logInWithFactor = async () => {
    const { mfa_token } = pendingIn(await tryLogIn(app, 'alice', password))
    return tokensIn(await sendCode(app, mfa_token)).accessToken
  }
  const accessToken = await logInWithFactor()
  return { app, owners, user, accessToken, logInWithFactor }
}

test('the first proof of an address by a reset removes the factors of whoever registered it', async () => {
  const { app, owners, user } = await withFactor()
  await tryLogIn(app, 'alice', password)
  await changeUser(app, user.id, { isVerified: false })
  await resetPassword(app, await requestReset(app))
  expect(owners.size).toBe(0)
  const purposes = await app.db.read.select({ purpose: signInTokens.purpose }).from(signInTokens)
  expect(purposes).toEqual([{ purpose: 'additions' }])
  expect((await tryLogIn(app, 'alice', newPassword)).statusCode).toBe(200)
})

test('a reset by a user who was verified keeps factors', async () => {
  const { app, owners } = await withFactor()
  await resetPassword(app, await requestReset(app))
  expect(owners.size).toBe(1)
})

test('an undo removes factors that came after the change', async () => {
  const { app, owners, user, accessToken } = await withFactor()
  await changeEmail(app, accessToken, 'thief@example.com')
  owners.set(user.id, new Date(app.now()))
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expect(owners.size).toBe(0)
})

test('an undo keeps the factor of before the change', async () => {
  const { app, owners, logInWithFactor } = await withFactor()
  app.clock.advance(60 * 60)
  await changeEmail(app, await logInWithFactor(), 'thief@example.com')
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expect(owners.size).toBe(1)
})

// The instance at which a thief adds a factor may have a clock that is late.
test('an undo removes a factor that seems 10 minutes older than the change', async () => {
  const { app, owners, user, logInWithFactor } = await withFactor()
  app.clock.advance(60 * 60)
  await changeEmail(app, await logInWithFactor(), 'thief@example.com')
  owners.set(user.id, new Date(app.now() - 10 * 60_000))
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expect(owners.size).toBe(0)
})
