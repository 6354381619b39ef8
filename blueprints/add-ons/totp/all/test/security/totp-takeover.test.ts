import { expect, test } from 'vitest'
import { takeOver } from '../../src/accounts/reset-password.ts'
import { recoveryCodes } from '../../src/db/schema/recovery-codes.ts'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { totpSecrets } from '../../src/db/schema/totp.ts'
import { unusablePassword } from '../../src/passwords/hashes.ts'
import { changeUser, password, putMe, readUser, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { runCommand } from '../support/commands.ts'
import {
  forgotPassword,
  newPassword,
  post,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  undoEmailChange,
} from '../support/flows.ts'
import { pendingIn } from '../support/made-up-factor.ts'
import { emailedToken } from '../support/mailbox.ts'
import { storedSessions } from '../support/stored.ts'
import { codeOf, logInWithTotp, mfaToken, registerWithTotp, turnOn } from '../support/totp.ts'

test('an undo of a change of the address keeps the app of long before it', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  app.clock.advance(8 * 24 * 60 * 60)
  const { accessToken } = await logInWithTotp(app, secret)
  await changeEmail(app, accessToken, 'thief@example.com')
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  await resetPassword(app, await emailedToken(app, 'restored'))
  pendingIn(await tryLogIn(app, 'alice', newPassword))
})

test('an undo removes the app that was turned on after the change', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await changeEmail(app, accessToken, 'thief@example.com')
  await turnOn(app, accessToken, 'thief@example.com')
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expect(await app.db.read.$count(totpSecrets)).toBe(0)
})

test('an undo keeps the app and the recovery codes of before the change', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  app.clock.advance(8 * 24 * 60 * 60)
  const { accessToken } = await logInWithTotp(app, secret)
  await changeEmail(app, accessToken, 'thief@example.com')
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expect(await app.db.read.$count(totpSecrets)).toBe(1)
  expect(await app.db.read.$count(recoveryCodes)).toBe(10)
})

test('an undo keeps the app of before the change, and not the recovery codes that a thief made after it', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  app.clock.advance(8 * 24 * 60 * 60)
  const { accessToken } = await logInWithTotp(app, secret)
  await changeEmail(app, accessToken, 'thief@example.com')
  await post(app, 'recovery-codes', { code: codeOf(app, secret) }, accessToken)
  await undoEmailChange(app, await emailedToken(app, 'undo'))
  expect(await app.db.read.$count(totpSecrets)).toBe(1)
  expect(await app.db.read.$count(recoveryCodes)).toBe(0)
})

test('reset-mfa removes the recovery codes with the app', async () => {
  const app = await createTestApp()
  await registerWithTotp(app)
  await runCommand(app, 'reset-mfa', 'alice')
  expect(await app.db.read.$count(totpSecrets)).toBe(0)
  expect(await app.db.read.$count(recoveryCodes)).toBe(0)
})

// One function for every way of proving an address: a new table is entered here, with what is left in it.
test('the first proof of an address leaves no way in, in any table', async () => {
  const app = await createTestApp()
  const { accessToken, id, email } = await registerWithTotp(app)
  await putMe(app, accessToken, { email: 'thief@example.com' })
  await mfaToken(app)
  await forgotPassword(app)
  const former = await readUser(app, id)
  await changeUser(app, id, { isVerified: false })
  await app.db.transaction((tx) => takeOver(app.ctx, tx, former))
  const left = await readUser(app, id)
  expect(left).toMatchObject({ email, hashedPassword: unusablePassword, pendingEmail: null })
  expect(await storedSessions(app)).toEqual([])
  for (const table of [totpSecrets, recoveryCodes, signInTokens])
    expect(await app.db.read.$count(table)).toBe(0)
  const reset = await emailedToken(app, 'reset')
  expect((await resetPassword(app, reset)).statusCode).toBe(400)
})

test('the first proof of an address by a reset removes the app of whoever registered it', async () => {
  const app = await createTestApp()
  const { id } = await registerWithTotp(app)
  await changeUser(app, id, { isVerified: false })
  await resetPassword(app, await requestReset(app))
  expect((await tryLogIn(app, 'alice', newPassword)).statusCode).toBe(200)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(401)
})
