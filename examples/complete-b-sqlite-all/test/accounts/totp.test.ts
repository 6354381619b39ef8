import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { totpSecrets } from '../../src/db/schema/totp.ts'
import { insertToken } from '../../src/sign-in/tokens.ts'
import { resealSecrets } from '../../src/totp/secrets.ts'
import { bearer, getMe, password, readUser, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { post, refresh, registerVerified, startSession, tokensIn } from '../support/flows.ts'
import { emailedCode } from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'
import {
  codeOf,
  logInWithTotp,
  mfaToken,
  registerWithTotp,
  sendTotp,
  setUp,
  turnOn,
} from '../support/totp.ts'

test('setup shows the secret as text, address and picture, and turns nothing on', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const { secret, otpauth_url, qr_svg } = await setUp(app, accessToken)
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  const url = new URL(otpauth_url)
  expect(`${url.protocol}//${url.host}`).toBe('otpauth://totp')
  expect(decodeURIComponent(url.pathname)).toMatch(/:alice$/)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ secret, digits: '6', period: '30' })
  expect(qr_svg).toMatch(/^<svg /)
  expect((await setUp(app, accessToken)).secret).not.toBe(secret)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})

test('confirm gives recovery codes, ends the other sessions, and tells the user', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const other = await startSession(app)
  const { accessToken, refreshToken } = await startSession(app)
  const { codes } = await turnOn(app, accessToken)
  expect(codes).toHaveLength(10)
  expectProblem(await getMe(app, other.accessToken), 'invalid_token')
  const next = tokensIn(await refresh(app, refreshToken))
  expect(app.ctx.accessTokens.verify(next.accessToken).payload.amr).toEqual(['pwd', 'otp', 'mfa'])
  expect((await emailsTo(app)).at(-1)?.template).toBe('totp_on')
  const state = await app.inject({ url: '/api/v1/auth/mfa', headers: bearer(accessToken) })
  expect(state.json()).toEqual({ totp: true, passkeys: 0, recovery_codes_left: 10 })
  expectProblem(await post(app, 'totp/setup', undefined, accessToken), 'totp_already_on')
  expectProblem(await post(app, 'totp/confirm', { code: '1' }, accessToken), 'totp_already_on')
})

// A thief's login that waits, or a challenge from before, must not outlive the change that locks the thief out.
test('confirm, new recovery codes and disable each end what waits for the user', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const waiting = async () => {
    const user = await readUser(app, (await getMe(app, accessToken)).json().id)
    const pending = { token: randomUUID(), purpose: 'login', user, lifetimeMs: 60 * 60_000 }
    await app.db.transaction((tx) => insertToken(app.ctx, tx, pending))
  }
  const expectNone = async () => expect(await app.db.read.$count(signInTokens)).toBe(0)
  await waiting()
  const { secret } = await turnOn(app, accessToken)
  await expectNone()
  await waiting()
  expect((await post(app, 'recovery-codes', { code: codeOf(app, secret) }, accessToken)).statusCode).toBe(200)
  await expectNone()
  await waiting()
  app.clock.advance(30)
  expect((await post(app, 'totp/disable', { code: codeOf(app, secret) }, accessToken)).statusCode).toBe(204)
  await expectNone()
})

test('a wrong code turns nothing on, and leaves the emailed code', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const confirm = (code: string, emailed_token?: string) =>
    post(app, 'totp/confirm', { code, ...(emailed_token && { emailed_token }) }, accessToken)
  const { secret } = await setUp(app, accessToken)
  expectProblem(await confirm(codeOf(app, secret)), 'emailed_token_required')
  const emailed = await emailedCode(app)
  expectProblem(await confirm(codeOf(app, secret, 9), emailed), 'invalid_code')
  expectProblem(await confirm(codeOf(app, secret), 'AAAA-BBBB'), 'invalid_or_expired_token')
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  expect((await confirm(codeOf(app, secret), emailed)).statusCode).toBe(200)
})

test('a login takes the code of the app', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  expectProblem(await sendTotp(app, codeOf(app, secret, 9)), 'wrong_mfa_code')
  const { accessToken } = await logInWithTotp(app, secret)
  expect((await getMe(app, accessToken)).statusCode).toBe(200)
})

test.each(['code', 'recovery_code'])(
  'disable takes a %s, tells the user, and voids the recovery codes',
  async (kind) => {
    const app = await createTestApp()
    const { accessToken, secret, codes } = await registerWithTotp(app)
    const pending = await mfaToken(app)
    const body = kind === 'code' ? { code: codeOf(app, secret) } : { recovery_code: codes[0] }
    expect((await post(app, 'totp/disable', body, accessToken)).statusCode).toBe(204)
    expect((await emailsTo(app)).at(-1)?.template).toBe('factor_removed')
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
    expectProblem(
      await post(app, 'mfa', { mfa_token: pending, recovery_code: codes[1] }),
      'invalid_mfa_token',
    )
    const state = await app.inject({ url: '/api/v1/auth/mfa', headers: bearer(accessToken) })
    expect(state.json()).toEqual({ totp: false, passkeys: 0, recovery_codes_left: 0 })
    expectProblem(await post(app, 'totp/disable', { recovery_code: codes[2] }, accessToken), 'invalid_code')
  },
)

test('a session by a recovery code turns the app off without another one, as long as its login is recent', async () => {
  const app = await createTestApp()
  const { codes } = await registerWithTotp(app)
  const recover = async (code = '') =>
    tokensIn(await post(app, 'mfa', { mfa_token: await mfaToken(app), recovery_code: code })).accessToken
  const old = await recover(codes[0])
  app.clock.advance(11 * 60)
  expectProblem(await post(app, 'totp/disable', undefined, old), 'reauthentication_required')
  expect((await post(app, 'totp/disable', undefined, await recover(codes[1]))).statusCode).toBe(204)
})

test('a session by a code of the app, or by the one that turned it on, needs a code to turn it off', async () => {
  const app = await createTestApp()
  const { accessToken, secret } = await registerWithTotp(app)
  const loggedIn = await logInWithTotp(app, secret)
  for (const token of [accessToken, loggedIn.accessToken])
    expectProblem(await post(app, 'totp/disable', {}, token), 'invalid_code')
})

test('after an app was replaced by a session with a recovery code, that session is one with a code', async () => {
  const app = await createTestApp()
  const { codes } = await registerWithTotp(app)
  const pending = { mfa_token: await mfaToken(app), recovery_code: codes[0] }
  const { accessToken } = tokensIn(await post(app, 'mfa', pending))
  expect((await post(app, 'totp/disable', {}, accessToken)).statusCode).toBe(204)
  app.clock.advance(60)
  await turnOn(app, accessToken)
  expectProblem(await post(app, 'totp/disable', {}, accessToken), 'invalid_code')
})

test('secrets are stored encrypted, and sealed anew after a change of the secret of the service', async () => {
  const app = await createTestApp()
  const { secret, codes } = await registerWithTotp(app)
  const [row] = await app.db.read.select().from(totpSecrets)
  expect(row?.secret).not.toContain(secret)
  const { accessTokens } = app.config
  const restarted = (previousSecrets: string[]) => {
    const next = { ...accessTokens, secret: 'another-secret-of-at-least-32-bytes!', previousSecrets }
    const given = { db: app.db, now: app.now, config: { ...app.config, accessTokens: next } }
    return createTestApp({}, false, given)
  }
  const listed = await restarted([accessTokens.secret])
  expect((await sendTotp(listed, codeOf(app, secret))).statusCode).toBe(200)
  const log = vi.spyOn(listed.ctx.log, 'info')
  await resealSecrets(app.ctx)
  for (const count of [1, 0]) {
    await resealSecrets(listed.ctx)
    expect(log.mock.lastCall?.[0]).toEqual({ event: 'totp.resealed', count })
  }
  app.clock.advance(30)
  const unlisted = await restarted([])
  expect((await sendTotp(unlisted, codeOf(app, secret))).statusCode).toBe(200)
  const recovery = { mfa_token: await mfaToken(unlisted), recovery_code: codes[0] }
  expect((await post(unlisted, 'mfa', recovery)).statusCode).toBe(200)
})
