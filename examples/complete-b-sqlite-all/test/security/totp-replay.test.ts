import { describe, expect, test } from 'vitest'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { password, tryLogIn } from '../support/accounts.ts'
import { createClock, createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { post, registerVerified, startSession } from '../support/flows.ts'
import { emailedCode } from '../support/made-up-factor.ts'
import { expectProblem } from '../support/problem.ts'
import { codeOf, mfaToken, registerWithTotp, sendTotp, setUp } from '../support/totp.ts'

// rodauth CVE-2026-82470, Keycloak CVE-2026-90997.
describe('a code works once', () => {
  test('also within its drift, and so do those of before it', async () => {
    const app = await createTestApp()
    const { secret } = await registerWithTotp(app)
    const [earlier, code] = [codeOf(app, secret, -1), codeOf(app, secret)]
    expect((await sendTotp(app, code)).statusCode).toBe(200)
    expectProblem(await sendTotp(app, code), 'wrong_mfa_code')
    expectProblem(await sendTotp(app, earlier), 'wrong_mfa_code')
    app.clock.advance(30)
    expectProblem(await sendTotp(app, code), 'wrong_mfa_code')
    expect((await sendTotp(app, codeOf(app, secret))).statusCode).toBe(200)
  })

  test('at all endpoints: the one that turned the app on logs nobody in', async () => {
    const app = await createTestApp()
    const { secret, accessToken } = await registerWithTotp(app)
    expectProblem(await sendTotp(app, codeOf(app, secret, -1)), 'wrong_mfa_code')
    const code = codeOf(app, secret)
    expect((await post(app, 'recovery-codes', { code }, accessToken)).statusCode).toBe(200)
    expectProblem(await sendTotp(app, code), 'wrong_mfa_code')
    expectProblem(await post(app, 'totp/disable', { code }, accessToken), 'invalid_code')
  })

  test('also if two instances get it twenty times at the same time', async () => {
    const app = await createTestApp()
    const { secret } = await registerWithTotp(app)
    const peer = await createTestApp({}, false, { db: app.db, now: app.now })
    const code = codeOf(app, secret)
    const tokens: string[] = []
    for (let time = 0; time < 20; time += 1) tokens.push(await mfaToken(app))
    const responses = await Promise.all(
      tokens.map((mfa_token, at) => post(at % 2 === 0 ? app : peer, 'mfa', { mfa_token, code })),
    )
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  })

  test('also at an instance whose clock is 10 minutes late', async () => {
    const app = await createTestApp()
    const { secret } = await registerWithTotp(app)
    const late = createClock()
    late.advance(30 - 10 * 60)
    const peer = await createTestApp({}, false, { db: app.db, now: late.now })
    const code = codeOf(app, secret)
    expect((await sendTotp(app, code)).statusCode).toBe(200)
    app.clock.advance(10 * 60)
    late.advance(10 * 60)
    expectProblem(await sendTotp(peer, code), 'wrong_mfa_code')
    expect((await sendTotp(app, codeOf(app, secret))).statusCode).toBe(200)
  })
})

test('the app of one user logs no other one in', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  await registerWithTotp(app, 'bob')
  expectProblem(await sendTotp(app, codeOf(app, secret), 'bob'), 'wrong_mfa_code')
})

test('a secret that was not confirmed is no factor: it belongs to its session', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { accessToken } = await startSession(app)
  const other = await startSession(app)
  const { secret } = await setUp(app, accessToken)
  expectProblem(await post(app, 'recovery-codes', { code: codeOf(app, secret) }, accessToken), 'invalid_code')
  await post(app, 'totp/confirm', {}, other.accessToken)
  const body = { code: codeOf(app, secret), emailed_token: await emailedCode(app) }
  expectProblem(await post(app, 'totp/confirm', body, other.accessToken), 'invalid_code')
  await runCommand(app, 'end-sessions', 'alice')
  expect(await app.db.read.$count(signInTokens)).toBe(0)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})
