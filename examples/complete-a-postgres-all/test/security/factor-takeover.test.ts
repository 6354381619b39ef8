import { expect, test } from 'vitest'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { changeUser, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { runCommand } from '../support/commands.ts'
import { newPassword, requestReset, resetPassword, tokensIn, undoEmailChange } from '../support/flows.ts'
import { addFactor, pendingIn, registerWithFactor, sendCode } from '../support/made-up-factor.ts'
import { emailedToken } from '../support/mailbox.ts'

const day = 24 * 60 * 60

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

test('an undo keeps the factor of long before the change', async () => {
  const { app, owners, logInWithFactor } = await withFactor()
  app.clock.advance(8 * day)
  await changeEmail(app, await logInWithFactor(), 'thief@example.com')
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expect(owners.size).toBe(1)
})

// A thief who adds a factor first and moves the address then would keep it.
test.each([
  [7 * day, 0],
  [7 * day + 1, 1],
])('of a factor added %i seconds before the change, an undo leaves %i', async (seconds, left) => {
  const { app, owners, user, logInWithFactor } = await withFactor()
  app.clock.advance(60 * 60)
  await changeEmail(app, await logInWithFactor(), 'thief@example.com')
  owners.set(user.id, new Date(app.now() - seconds * 1000))
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expect(owners.size).toBe(left)
})

test('set-email keeps factors: reset-mfa removes them', async () => {
  const { app, owners } = await withFactor()
  await runCommand(app, 'set-email', 'alice', 'other@example.com')
  expect(owners.size).toBe(1)
})
