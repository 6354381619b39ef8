import { gt } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { liveSessions, sessions } from '../../src/sessions/store.ts'
import {
  bearer,
  changeUser,
  comparable,
  getMe,
  logIn,
  password,
  putMe,
  register,
  tryLogIn,
} from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import {
  refresh,
  registerVerified,
  requestReset,
  resendVerification,
  resetPassword,
  startSession,
  verify,
} from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const createApp = () => createTestApp({ LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' })

test('an unverified user logs in once the address is verified, also with an email that was requested later', async () => {
  const app = await createApp()
  await register(app)
  expectProblem(await tryLogIn(app, 'alice', password), 'user_not_verified')
  expect(await app.db.read.$count(sessions, liveSessions(app.now()))).toBe(0)
  app.clock.advance(61)
  expect((await resendVerification(app)).statusCode).toBe(202)
  await verify(app, await emailedToken(app, 'verification'))
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})

test('only the right password reveals that the address is not verified', async () => {
  const app = await createApp()
  await register(app)
  const known = await tryLogIn(app, 'alice', 'Wrong-Horse-7', '192.0.2.1')
  const unknown = await tryLogIn(app, 'nobody', 'Wrong-Horse-7', '192.0.2.2')
  expectProblem(known, 'invalid_credentials')
  expect(comparable(known)).toEqual(comparable(unknown))
})

test('a deactivated user gets no other answer than before', async () => {
  const app = await createApp()
  const { id } = await register(app)
  await changeUser(app, id, { isActive: false })
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
})

test('a refused login is no failure, makes no client familiar and sends no notice', async () => {
  const app = await createApp()
  await register(app)
  const counted = () => app.db.read.$count(attempts, gt(attempts.count, 0))
  const [clients, emails] = [await counted(), await emailsTo(app)]
  for (let login = 0; login < 6; login++)
    expectProblem(await tryLogIn(app, 'alice', password, '198.51.100.1'), 'user_not_verified')
  // Besides the count of right passwords.
  expect(await counted()).toBe(clients + 1)
  expect(await emailsTo(app)).toEqual(emails)
})

test('a redeemed reset proves the address', async () => {
  const app = await createApp()
  await register(app)
  await resetPassword(app, await requestReset(app), 'New-Horse-8')
  expect((await tryLogIn(app, 'alice', 'New-Horse-8')).statusCode).toBe(200)
})

test('a mistyped change of the address locks no one out', async () => {
  const app = await createApp()
  await registerVerified(app)
  const token = await logIn(app)
  await putMe(app, token, { email: 'new@exmaple.com' })
  expect((await getMe(app, token)).statusCode).toBe(200)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})

// A session from before the setting: the address was never proved.
test('a session of an unverified user reaches only what they need to verify, and to end it', async () => {
  const app = await createApp()
  app.get('/own', { onRequest: app.requireUser }, async () => ({}))
  const { id } = await registerVerified(app)
  const tokens = await startSession(app)
  await changeUser(app, id, { isVerified: false })
  const { accessToken } = tokens
  expectProblem(await app.inject({ url: '/own', headers: bearer(accessToken) }), 'user_not_verified')
  expect((await getMe(app, accessToken)).statusCode).toBe(200)
  expect((await changeEmail(app, accessToken, 'new@example.com')).statusCode).toBe(200)
  expect((await app.inject({ url: '/own', headers: bearer(accessToken) })).statusCode).toBe(200)
  await changeUser(app, id, { isVerified: false })
  expect((await refresh(app, tokens.refreshToken)).statusCode).toBe(200)
})
