import { expect, test } from 'vitest'
import { getMe, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import {
  newPassword,
  post,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
} from '../support/flows.ts'
import { emailedCode, pendingIn } from '../support/made-up-factor.ts'
import { expectProblem } from '../support/problem.ts'
import { codeOf, logInWithTotp, registerWithTotp, setUp } from '../support/totp.ts'

test('a stolen token does not turn the app off: it takes a recent login and a code', async () => {
  const app = await createTestApp()
  const { accessToken, secret } = await registerWithTotp(app)
  for (const body of [{}, { code: '' }, { recovery_code: '' }, { current_password: password }])
    expect((await post(app, 'totp/disable', body, accessToken)).statusCode).toBeGreaterThanOrEqual(400)
  app.clock.advance(11 * 60)
  for (const path of ['totp/setup', 'totp/disable']) {
    const body = path === 'totp/setup' ? undefined : { code: codeOf(app, secret) }
    expectProblem(await post(app, path, body, accessToken), 'reauthentication_required')
  }
  pendingIn(await tryLogIn(app, 'alice', password))
})

test('a stolen token does not turn an app on: it takes what is emailed to the owner', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const { secret } = await setUp(app, accessToken)
  const confirm = (emailed_token?: string) =>
    post(app, 'totp/confirm', { code: codeOf(app, secret), emailed_token }, accessToken)
  expectProblem(await confirm(), 'emailed_token_required')
  expectProblem(await confirm('AAAA-BBBB-CCCC-DDDD'), 'invalid_or_expired_token')
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})

test('an old login is not enough to have a code emailed', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const { secret } = await setUp(app, accessToken)
  app.clock.advance(11 * 60)
  const body = { code: codeOf(app, secret) }
  expectProblem(await post(app, 'totp/confirm', body, accessToken), 'reauthentication_required')
})

test('a user whose address was never verified sets nothing up', async () => {
  const app = await createTestApp()
  await register(app)
  const { accessToken } = await startSession(app)
  expectProblem(await post(app, 'totp/setup', undefined, accessToken), 'user_not_verified')
})

test('a reset of the password keeps the app: who reads the mailbox does not get in', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  await resetPassword(app, await requestReset(app))
  pendingIn(await tryLogIn(app, 'alice', newPassword))
  expect(secret).toHaveLength(32)
})

test('a thief of the password who logs in while the app is turned on is asked for it, or logged out', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const { secret } = await setUp(app, accessToken)
  await post(app, 'totp/confirm', { code: codeOf(app, secret) }, accessToken)
  const emailed_token = await emailedCode(app)
  const logIns = Array.from({ length: 4 }, () => tryLogIn(app, 'alice', password))
  const confirmed = post(app, 'totp/confirm', { code: codeOf(app, secret), emailed_token }, accessToken)
  logIns.push(...Array.from({ length: 4 }, () => tryLogIn(app, 'alice', password)))
  expect((await confirmed).statusCode).toBe(200)
  for (const response of await Promise.all(logIns)) {
    if (response.statusCode === 200)
      expectProblem(await getMe(app, response.json().access_token), 'invalid_token')
    else pendingIn(response)
  }
  app.clock.advance(30)
  expect((await logInWithTotp(app, secret)).accessToken).not.toBe('')
})
