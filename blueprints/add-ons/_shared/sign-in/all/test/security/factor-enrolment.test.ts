import { expect, test } from 'vitest'
import { changeUser, password, putMe, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { post, registerVerified, startSession } from '../support/flows.ts'
import { addEnrolment, addFactor, emailedCode, pendingIn } from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
import { createTestMailer, deliverDue } from '../support/mailer.ts'
import { expectProblem } from '../support/problem.ts'

async function appWithEnrolment(env: Record<string, string> = {}) {
  const mailer = createTestMailer()
  const app = await createTestApp(env, false, { mailer })
  const owners = addFactor()
  addEnrolment(app, owners)
  const enrol = (token: string, emailed?: string) =>
    post(app, 'enrol', emailed === undefined ? {} : { emailed_token: emailed }, token)
  return { app, mailer, owners, enrol }
}

test('a stolen token is not enough to add a factor: it takes what is emailed to the owner', async () => {
  const { app, owners, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  expectProblem(await enrol(accessToken), 'emailed_token_required')
  expectProblem(await enrol(accessToken, 'AAAA-BBBB-CCCC-DDDD'), 'invalid_or_expired_token')
  expect(owners.size).toBe(0)
  const code = await emailedCode(app)
  expect(code).toMatch(/^([0-9A-Z]{4}-){3}[0-9A-Z]{4}$/)
  expect((await enrol(accessToken, code)).statusCode).toBe(200)
  pendingIn(await tryLogIn(app, 'alice', password))
})

// Keycloak CVE-2026-37982.
test('an emailed code works once, for the session and the user that asked, and for 10 minutes', async () => {
  const { app, owners, enrol } = await appWithEnrolment()
  await registerVerified(app)
  await registerVerified(app, 'bob')
  const { accessToken } = await startSession(app)
  const other = await startSession(app)
  const bobs = await startSession(app, 'bob')
  await enrol(accessToken)
  const code = await emailedCode(app)
  expectProblem(await enrol(other.accessToken, code), 'invalid_or_expired_token')
  expectProblem(await enrol(bobs.accessToken, code), 'invalid_or_expired_token')
  expect((await enrol(accessToken, code)).statusCode).toBe(200)
  expectProblem(await enrol(accessToken, code), 'invalid_or_expired_token')
  owners.clear()
  app.clock.advance(59)
  await enrol(accessToken)
  app.clock.advance(500)
  expectProblem(await enrol(other.accessToken, await emailedCode(app)), 'invalid_or_expired_token')
})

test('an emailed code expires', async () => {
  const { app, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await enrol(accessToken)
  const code = await emailedCode(app)
  app.clock.advance(600)
  expectProblem(await enrol(accessToken, code), 'invalid_or_expired_token')
})

test('a new emailed code replaces the last one', async () => {
  const { app, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await enrol(accessToken)
  const first = await emailedCode(app)
  await enrol(accessToken)
  expectProblem(await enrol(accessToken, first), 'invalid_or_expired_token')
  expect((await enrol(accessToken, await emailedCode(app))).statusCode).toBe(200)
})

test('an emailed code is void after a change of the address, to which it was sent', async () => {
  const { app, enrol } = await appWithEnrolment()
  const { id } = await registerVerified(app)
  const { accessToken } = await startSession(app)
  await enrol(accessToken)
  await changeUser(app, id, { email: 'new@example.com' })
  expectProblem(await enrol(accessToken, await emailedCode(app)), 'invalid_or_expired_token')
})

test('an address that was never verified gets no code and no factor', async () => {
  const { app, enrol } = await appWithEnrolment()
  const { id } = await register(app)
  const { accessToken } = await startSession(app)
  expectProblem(await enrol(accessToken), 'user_not_verified')
  expect(await emailedCode(app)).toBe('')
  await changeUser(app, id, { isVerified: true })
  await enrol(accessToken)
  await changeUser(app, id, { isVerified: false })
  expectProblem(await enrol(accessToken, await emailedCode(app)), 'user_not_verified')
})

test('an old login is not enough', async () => {
  const { app, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  app.clock.advance(601)
  expectProblem(await enrol(accessToken), 'reauthentication_required')
})

test('a mailbox cannot be flooded with codes', async () => {
  const { app, enrol } = await appWithEnrolment({ RATE_LIMIT_MAILS: '2' })
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  for (let time = 0; time < 2; time += 1) expectProblem(await enrol(accessToken), 'emailed_token_required')
  expectProblem(await enrol(accessToken), 'too_many_requests')
  expect((await enrol(accessToken, await emailedCode(app))).statusCode).toBe(200)
})

test('an email whose code is void is not sent any more', async () => {
  const { app, mailer, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await deliverDue(app)
  await enrol(accessToken)
  await runCommand(app, 'end-sessions', 'alice')
  mailer.sent.length = 0
  await deliverDue(app)
  expect(mailer.sent).toEqual([])
})

test('a change of the address by a session ends with the emailed code of that session only', async () => {
  const { app, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await enrol(accessToken)
  await putMe(app, accessToken, { email: 'new@example.com' })
  expect((await enrol(accessToken, await emailedCode(app))).statusCode).toBe(200)
  expect((await emailsTo(app)).map(({ template }) => template)).toContain('email_change_requested')
})
