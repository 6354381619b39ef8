import { expect, test } from 'vitest'
import { endSessions } from '../../src/sessions/sessions.ts'
import { takeEmailedToken } from '../../src/sign-in/enrolments.ts'
import { callerOf, changeUser, password, putMe, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { post, refresh, registerVerified, startSession, tokensIn } from '../support/flows.ts'
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
test('an emailed code works once, for the session and the user that asked, and for 30 minutes', async () => {
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
})

test('an emailed code expires', async () => {
  const { app, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken, refreshToken } = await startSession(app)
  await enrol(accessToken)
  const code = await emailedCode(app)
  app.clock.advance(1_800)
  const next = tokensIn(await refresh(app, refreshToken))
  expectProblem(await enrol(next.accessToken, code), 'invalid_or_expired_token')
})

test('a code that was sent within a recent login works after it, for 30 minutes in all', async () => {
  const { app, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken, refreshToken } = await startSession(app)
  app.clock.advance(599)
  await enrol(accessToken)
  app.clock.advance(1_799)
  const next = tokensIn(await refresh(app, refreshToken))
  expectProblem(await enrol(next.accessToken), 'reauthentication_required')
  expect((await enrol(next.accessToken, await emailedCode(app))).statusCode).toBe(200)
})

test('asking again within a minute sends no email, and keeps the code', async () => {
  const { app, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  await enrol(accessToken)
  app.clock.advance(59)
  expectProblem(await enrol(accessToken), 'emailed_token_required')
  const sent = (await emailsTo(app)).filter(({ template }) => template === 'emailed_token')
  expect(sent).toHaveLength(1)
  expect((await enrol(accessToken, await emailedCode(app))).statusCode).toBe(200)
})

test('a new emailed code replaces the last one, of the same session only', async () => {
  const { app, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const other = await startSession(app)
  await enrol(other.accessToken)
  const ofOther = await emailedCode(app)
  await enrol(accessToken)
  const first = await emailedCode(app)
  app.clock.advance(60)
  await enrol(accessToken)
  expectProblem(await enrol(other.accessToken, first), 'invalid_or_expired_token')
  expect((await enrol(other.accessToken, ofOther)).statusCode).toBe(200)
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
  const code = await emailedCode(app)
  await changeUser(app, id, { isVerified: false })
  expectProblem(await enrol(accessToken, code), 'user_not_verified')
  // A change between the check and the transaction.
  const caller = await callerOf(app, accessToken)
  const take = app.db.transaction((tx) => takeEmailedToken(app.ctx, tx, caller.user, caller, code))
  await expect(take).rejects.toThrow('User not verified')
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
  for (let time = 0; time < 2; time += 1) {
    expectProblem(await enrol(accessToken), 'emailed_token_required')
    app.clock.advance(60)
  }
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

test('an email whose code works is sent, whatever another session asks for, and when it ends', async () => {
  const { app, mailer, enrol } = await appWithEnrolment()
  await registerVerified(app)
  const other = await startSession(app)
  const { accessToken } = await startSession(app)
  await enrol(other.accessToken)
  const ofOther = await emailedCode(app)
  await enrol(accessToken)
  app.clock.advance(60)
  await enrol(accessToken)
  const { user, sessionId } = await callerOf(app, accessToken)
  await app.db.transaction((tx) => endSessions(app.ctx, tx, user.id, { only: [sessionId] }))
  await deliverDue(app)
  expect(mailer.sent.map(({ text }) => text).join()).toContain(ofOther)
  expect((await enrol(other.accessToken, ofOther)).statusCode).toBe(200)
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
