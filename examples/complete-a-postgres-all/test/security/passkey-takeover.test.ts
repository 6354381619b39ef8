import { expect, test } from 'vitest'
import { takeOver } from '../../src/accounts/reset-password.ts'
import { passkeys } from '../../src/db/schema/passkeys.ts'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { changeUser, getMe, readUser } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { runCommand } from '../support/commands.ts'
import { forgotPassword, post, requestReset, resetPassword, undoEmailChange } from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'
import {
  addPasskey,
  askForEmailed,
  logInWithPasskey,
  optionsOf,
  registerWithPasskey,
  sendPasskey,
} from '../support/passkeys.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

const daySeconds = 24 * 60 * 60

const passkeysIn = (app: TestApp) => app.db.read.$count(passkeys)

/** Resets the password, and takes back what is new. */
async function undo(app: TestApp) {
  const token = await requestReset(app)
  expect((await resetPassword(app, token)).statusCode).toBe(200)
  return (await post(app, 'undo-additions', { token })).json()
}

// Whoever registered an address of a stranger must not come back by a passkey once its owner has proved it.
test('the first proof of an address leaves no passkey, and nothing that a device could answer', async () => {
  const app = await createTestApp()
  const { device, userId, accessToken } = await registerWithPasskey(app)
  const emailed_token = await askForEmailed(app, accessToken)
  await optionsOf(await post(app, 'passkeys/options', { emailed_token }, accessToken))
  await changeUser(app, userId, { isVerified: false })
  await app.db.transaction(async (tx) => takeOver(app.ctx, tx, await readUser(app, userId)))
  expect(await passkeysIn(app)).toBe(0)
  expect(await app.db.read.$count(signInTokens)).toBe(0)
  expect(await storedSessions(app)).toEqual([])
  expectProblem(await sendPasskey(app, device), 'invalid_credentials')
})

test('a reset alone keeps a passkey, and its email names a new one', async () => {
  const app = await createTestApp()
  const { device } = await registerWithPasskey(app)
  const token = await requestReset(app)
  const named = async () => (await emailsTo(app)).at(-1)?.variables.additions
  expect(await named()).toBe('a passkey')
  expect((await resetPassword(app, token)).statusCode).toBe(200)
  expect((await sendPasskey(app, device)).statusCode).toBe(200)
  app.clock.advance(7 * daySeconds + 1)
  await forgotPassword(app)
  expect(await named()).toBeUndefined()
})

// Ten minutes in a mailbox would otherwise be a way in for good.
test('the token of a reset removes passkeys of the last 7 days, and keeps older ones', async () => {
  const app = await createTestApp()
  const { device } = await registerWithPasskey(app)
  app.clock.advance(7 * daySeconds + 1)
  const { accessToken } = await logInWithPasskey(app, device)
  const thief = await addPasskey(app, accessToken)
  app.clock.advance(60)
  expect(await undo(app)).toEqual({ removed: ['passkey'] })
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expectProblem(await sendPasskey(app, thief.device), 'invalid_credentials')
  expect((await sendPasskey(app, device)).statusCode).toBe(200)
  app.clock.advance(daySeconds)
  expect(await undo(app)).toEqual({ removed: [] })
})

test('an undo of a change of the address removes the passkey of whoever changed it, and keeps the old one', async () => {
  const app = await createTestApp()
  const { device } = await registerWithPasskey(app)
  app.clock.advance(8 * daySeconds)
  const { accessToken } = await logInWithPasskey(app, device)
  await changeEmail(app, accessToken, 'thief@example.com')
  const thief = await addPasskey(app, accessToken, 'thief@example.com')
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expectProblem(await sendPasskey(app, thief.device), 'invalid_credentials')
  expect((await sendPasskey(app, device)).statusCode).toBe(200)
})

test('reset-mfa removes the passkeys of that user, and ends their sessions', async () => {
  const app = await createTestApp()
  const { device, accessToken } = await registerWithPasskey(app)
  const bob = await registerWithPasskey(app, 'bob')
  await runCommand(app, 'reset-mfa', 'alice')
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expectProblem(await sendPasskey(app, device), 'invalid_credentials')
  expect((await emailsTo(app)).at(-1)?.template).toBe('factor_removed')
  expect((await sendPasskey(app, bob.device)).statusCode).toBe(200)
})
