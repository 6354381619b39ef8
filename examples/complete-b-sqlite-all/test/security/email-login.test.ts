import { expect, test } from 'vitest'
import { mailRequests } from '../../src/db/schema/mail-requests.ts'
import {
  changeUser,
  comparable,
  getMe,
  logIn,
  password,
  readUser,
  register,
  tryLogIn,
} from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { runCommand } from '../support/commands.ts'
import { confirmLogin, requestLogin } from '../support/email-login.ts'
import {
  handleRequests,
  post,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  undoEmailChange,
  verify,
} from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'
import { countStored } from '../support/stored.ts'

// better-auth CVE-2026-110862.
test('a token of one purpose is accepted for no other', async () => {
  const app = await createTestApp()
  await register(app)
  const verification = await emailedToken(app, 'verification')
  const [login, reset] = [await requestLogin(app), await requestReset(app)]
  for (const token of [verification, reset])
    expectProblem(await confirmLogin(app, token), 'invalid_or_expired_token')
  expectProblem(await verify(app, login), 'invalid_or_expired_token')
  expectProblem(await resetPassword(app, login), 'invalid_or_expired_token')
  expectProblem(await undoEmailChange(app, login), 'invalid_or_expired_token')
  expect((await confirmLogin(app, login)).statusCode).toBe(200)
})

// Whoever registers a stranger's address first would share the account with its owner.
test('the first proof of an address removes all that let anyone in before, and says so', async () => {
  const app = await createTestApp()
  const { id } = await app
    .inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      body: { email: 'alice@example.com', username: 'evil.com', password },
    })
    .then((response) => response.json())
  const { accessToken } = await startSession(app, 'evil.com')
  const reset = await requestReset(app)
  expect((await confirmLogin(app, await requestLogin(app))).statusCode).toBe(200)
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expectProblem(await tryLogIn(app, 'evil.com', password), 'invalid_credentials')
  expectProblem(await resetPassword(app, reset), 'invalid_or_expired_token')
  expect(await readUser(app, id)).toMatchObject({ isVerified: true, hashedPassword: '!' })
  const notice = (await emailsTo(app)).find(({ template }) => template === 'account_claimed')
  expect(notice?.variables.username).toBe('evil[.]com')
})

test('the next one keeps the password and the sessions', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  expect((await confirmLogin(app, await requestLogin(app))).statusCode).toBe(200)
  expect((await getMe(app, accessToken)).statusCode).toBe(200)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  expect((await emailsTo(app)).map(({ template }) => template)).not.toContain('account_claimed')
})

test('of several uses at once, one succeeds', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const token = await requestLogin(app)
  const responses = await Promise.all(Array.from({ length: 5 }, () => confirmLogin(app, token)))
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  expect((await countStored(app)).sessions).toBe(1)
})

// What a thief has asked for must not outlive what the owner does against them.
test.each<[string, (app: TestApp, accessToken: string) => Promise<unknown>]>([
  ['a reset of the password', async (app) => resetPassword(app, await requestReset(app))],
  ['the end of all sessions', (app) => runCommand(app, 'end-sessions', 'alice')],
  ['a deactivation', (app) => runCommand(app, 'deactivate', 'alice')],
  ['a change of the address', (app, token) => changeEmail(app, token, 'new@example.com')],
])('%s ends a token', async (_change, change) => {
  const app = await createTestApp()
  await registerVerified(app)
  const token = await requestLogin(app)
  const response = await change(app, await logIn(app))
  if (response && typeof response === 'object' && 'statusCode' in response)
    expect(response.statusCode).toBe(200)
  expectProblem(await confirmLogin(app, token), 'invalid_or_expired_token')
})

test('an undo of a change of the address ends a token that was emailed to the new one', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await changeEmail(app, await logIn(app), 'thief@example.com')
  const token = await requestLogin(app, 'thief@example.com')
  expect((await undoEmailChange(app, await emailedToken(app, 'undo'))).statusCode).toBe(200)
  expectProblem(await confirmLogin(app, token), 'invalid_or_expired_token')
})

test('for a user who was deactivated meanwhile, nothing changes', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const token = await requestLogin(app)
  await changeUser(app, id, { isActive: false })
  const before = await readUser(app, id)
  expectProblem(await confirmLogin(app, token), 'invalid_or_expired_token')
  expect(await readUser(app, id)).toEqual(before)
  app.clock.advance(60)
  await requestLogin(app)
  expect((await emailsTo(app)).filter(({ template }) => template === 'email_login')).toHaveLength(1)
})

// An attacker could request a login with their Host header and get the token when the user clicks the link.
test('request headers do not affect the email', async () => {
  const app = await createTestApp({ FRONTEND_URL: 'https://app.example.com', TRUST_PROXY: '127.0.0.1' })
  await registerVerified(app)
  await app.inject({
    method: 'POST',
    url: 'http://mallory.example/api/v1/auth/email-login',
    headers: {
      host: 'mallory.example',
      'x-forwarded-host': 'mallory.example',
      origin: 'https://mallory.example',
    },
    body: { email: 'alice@example.com' },
  })
  await handleRequests(app)
  const [email] = (await emailsTo(app)).slice(-1)
  expect(email?.template).toBe('email_login')
  expect(JSON.stringify(email)).not.toContain('mallory')
})

// Programs that read emails open every link in them.
test('opening the link uses up nothing', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const token = await requestLogin(app)
  for (const method of ['GET', 'HEAD'] as const)
    for (const url of [
      '/email-login',
      '/api/v1/auth/email-login',
      `/api/v1/auth/email-login/confirm?token=${token}`,
    ])
      await app.inject({ method, url })
  expect((await confirmLogin(app, token)).statusCode).toBe(200)
})

// TypeBot CVE-2026-62862.
test('after 10 wrong tokens of one address in a minute, even a right one is refused', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const token = await requestLogin(app)
  const guesses = Array.from({ length: 10 }, (_, guess) => confirmLogin(app, `AAAA-BBBB-CCCC-DDD${guess}`))
  for (const response of await Promise.all(guesses)) expectProblem(response, 'invalid_or_expired_token')
  expectProblem(await confirmLogin(app, token), 'too_many_requests')
  app.clock.advance(60)
  expect((await confirmLogin(app, token)).statusCode).toBe(200)
})

test('right tokens do not count', async () => {
  const app = await createTestApp({
    RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0',
    RATE_LIMIT_TOKEN_FAILURES: '1',
  })
  await registerVerified(app)
  for (let time = 0; time < 3; time += 1)
    expect((await confirmLogin(app, await requestLogin(app))).statusCode).toBe(200)
})

test('a request writes one row and answers alike, whoever has the address', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await register(app, 'unverified')
  const { id } = await register(app, 'inactive')
  await changeUser(app, id, { isActive: false })
  const addresses = ['alice', 'unverified', 'inactive', 'nobody'].map((name) => `${name}@example.com`)
  const before = await countStored(app)
  const answers = []
  for (const email of addresses) answers.push(comparable(await post(app, 'email-login', { email })))
  expect(answers[0]?.statusCode).toBe(202)
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(await countStored(app)).toEqual(before)
  const rows = await app.db.read.select().from(mailRequests).orderBy(mailRequests.id)
  expect(rows.map(({ kind, email }) => [kind, email])).toEqual(
    addresses.map((email) => ['email_login', email]),
  )
})

test('an address gets an email a minute, and 5 in 10 minutes', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const count = async () => (await emailsTo(app)).filter(({ template }) => template === 'email_login').length
  await requestLogin(app)
  await requestLogin(app)
  expect(await count()).toBe(1)
  for (let time = 0; time < 8; time += 1) {
    app.clock.advance(60)
    await requestLogin(app)
  }
  expect(await count()).toBe(5)
  app.clock.advance(2 * 60)
  await requestLogin(app)
  expect(await count()).toBe(6)
})

test('bad tokens are answered alike', async () => {
  const app = await createTestApp()
  const answers = []
  for (const token of ['', 'nonsense', 'A'.repeat(43), '0000-0000-0000-0000'])
    answers.push(comparable(await confirmLogin(app, token)))
  expect(answers[0]?.statusCode).toBe(400)
  for (const answer of answers) expect(answer).toEqual(answers[0])
})

// One client could email every user.
test('requests share the limit of a client with those for resets', async () => {
  const app = await createTestApp({ RATE_LIMIT_MAIL_REQUESTS: '2' })
  const ask = (path: string) => post(app, path, { email: 'alice@example.com' })
  expect((await ask('email-login')).statusCode).toBe(202)
  expect((await ask('forgot-password')).statusCode).toBe(202)
  expectProblem(await ask('email-login'), 'too_many_requests')
})
