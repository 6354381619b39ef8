import { expect, test } from 'vitest'
import { totpSecrets } from '../../src/db/schema/totp.ts'
import { changeUser, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import {
  newPassword,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  undoEmailChange,
} from '../support/flows.ts'
import { pendingIn } from '../support/made-up-factor.ts'
import { emailedToken } from '../support/mailbox.ts'
import { logInWithTotp, registerWithTotp, turnOn } from '../support/totp.ts'

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

test('the first proof of an address by a reset removes the app of whoever registered it', async () => {
  const app = await createTestApp()
  const { id } = await registerWithTotp(app)
  await changeUser(app, id, { isVerified: false })
  await resetPassword(app, await requestReset(app))
  expect((await tryLogIn(app, 'alice', newPassword)).statusCode).toBe(200)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(401)
})
