import { expect, test } from 'vitest'
import { changeUser, getMe, logIn, putMe, readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { newPassword, registerVerified, requestReset, resetPassword, startSession } from '../support/flows.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

/** Runs reset-link. @returns the token in the link */
async function resetLink(app: TestApp, name = 'alice') {
  const [link = ''] = (await runCommand(app, 'reset-link', name)).split('\n')
  const { origin, pathname, hash } = new URL(link)
  expect(`${origin}${pathname}`).toBe('http://localhost:3000/reset-password')
  return hash.replace('#token=', '')
}

test('a link resets the password once, ends all sessions and emails a notice', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const token = await resetLink(app)

  expect((await resetPassword(app, token)).statusCode).toBe(200)
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expect((await emailsTo(app)).at(-1)?.template).toBe('password_changed')
  await logIn(app, 'alice', newPassword)
  expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
})

test('a link revokes an emailed token, and is revoked by one', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const emailed = await requestReset(app)
  const printed = await resetLink(app)
  expectProblem(await resetPassword(app, emailed), 'invalid_or_expired_token')
  app.clock.advance(60)
  await requestReset(app)
  expectProblem(await resetPassword(app, printed), 'invalid_or_expired_token')
})

test('a link expires like an emailed one', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const token = await resetLink(app)
  app.clock.advance(app.config.email.resetSeconds)
  expectProblem(await resetPassword(app, token), 'invalid_or_expired_token')
})

// A reset verifies the address. A link that was not emailed proves nothing, so a stranger's address would be verified.
test('a link verifies no address', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  await expect(runCommand(app, 'reset-link', 'alice')).rejects.toThrow('never verified an address')
  await runCommand(app, 'verify', 'alice')
  await putMe(app, await logIn(app), { email: 'stranger@example.com' })
  expect((await resetPassword(app, await resetLink(app))).statusCode).toBe(200)
  expect((await readUser(app, id)).email).toBe('alice@example.com')
})

test('a deactivated user gets no link', async () => {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  await changeUser(app, id, { isActive: false })
  await expect(runCommand(app, 'reset-link', 'alice')).rejects.toThrow('The user is deactivated.')
  await expect(runCommand(app, 'reset-link', 'nobody')).rejects.toThrow('There is no user "nobody".')
})
