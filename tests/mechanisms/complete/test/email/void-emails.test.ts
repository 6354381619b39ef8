import { expect, test } from 'vitest'
import { logIn, putMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { registerVerified, requestReset, resendVerification, resetPassword } from '../support/flows.ts'
import { createTestMailer, deliverDue } from '../support/mailer.ts'

async function appWithMailer() {
  const mailer = createTestMailer()
  const app = await createTestApp({}, false, { mailer })
  const sent = async (to: string) => {
    await deliverDue(app)
    return mailer.sent.filter((message) => message.to === to).map(({ subject }) => subject)
  }
  return { app, sent }
}

// The mail server was down meanwhile. Users would enter a token that is void.
test('an email whose token was replaced is not sent any more', async () => {
  const { app, sent } = await appWithMailer()
  await register(app)
  await resendVerification(app)
  expect(await sent('alice@example.com')).toHaveLength(1)
})

test('an email whose token was voided is not sent any more, and notices are', async () => {
  const { app, sent } = await appWithMailer()
  await registerVerified(app)
  const token = await logIn(app)
  await putMe(app, token, { email: 'new@example.com' })
  const reset = await requestReset(app)
  await resetPassword(app, reset)
  expect(await sent('new@example.com')).toEqual([])
  expect(await sent('alice@example.com')).toContain('Your password was changed')
})

test('the confirmation of a cancelled change is not sent any more', async () => {
  const { app, sent } = await appWithMailer()
  await registerVerified(app)
  const token = await logIn(app)
  await putMe(app, token, { email: 'new@example.com' })
  await putMe(app, token, { email: 'alice@example.com' })
  expect(await sent('new@example.com')).toEqual([])
})
