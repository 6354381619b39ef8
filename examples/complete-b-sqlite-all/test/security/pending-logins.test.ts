import { describe, expect, test } from 'vitest'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { password, tryLogIn } from '../support/accounts.ts'
import { post, runCleanUp, tokensIn } from '../support/flows.ts'
import {
  appWithEnrolment,
  emailedCode,
  pendingIn,
  registerWithFactor,
  rightCode,
  sendCode,
} from '../support/made-up-factor.ts'
import { expectProblem } from '../support/problem.ts'
import { readDisk } from '../support/read-disk.ts'

async function pending() {
  const { app, owners } = await appWithEnrolment()
  const user = await registerWithFactor(app, owners)
  const { mfa_token: token } = pendingIn(await tryLogIn(app, 'alice', password))
  return { app, owners, user, token }
}

describe('wrong codes', () => {
  test('the fifth makes a pending login void', async () => {
    const { app, token } = await pending()
    for (let time = 0; time < 5; time += 1) expectProblem(await sendCode(app, token, 'x'), 'wrong_mfa_code')
    expectProblem(await sendCode(app, token), 'invalid_mfa_token')
  })

  test('parallel ones are counted too', async () => {
    const { app, token } = await pending()
    const sent = await Promise.all(Array.from({ length: 20 }, () => sendCode(app, token, 'x')))
    expect(sent.filter((response) => response.json().code === 'invalid_code')).toHaveLength(5)
  })

  // listmonk, Vikunja CVE-2026-123521: a count for each endpoint or login gives as many guesses as one likes.
  test('ten an hour are counted over all logins and endpoints, then even the right one is refused', async () => {
    const { app, token } = await pending()
    const { accessToken } = tokensIn(await sendCode(app, token))
    for (let time = 0; time < 5; time += 1)
      expectProblem(await post(app, 'recovery-codes', { code: 'x' }, accessToken), 'invalid_code')
    const next = async () => pendingIn(await tryLogIn(app, 'alice', password)).mfa_token
    for (let time = 0; time < 5; time += 1) await sendCode(app, await next(), 'x')
    const refused = await sendCode(app, await next())
    expectProblem(refused, 'too_many_requests')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000)
    const recovery = await post(app, 'mfa', { mfa_token: await next(), recovery_code: 'x' })
    expectProblem(recovery, 'too_many_requests')
    expectProblem(await post(app, 'recovery-codes', { code: rightCode }, accessToken), 'too_many_requests')
    app.clock.advance(60 * 60)
    expect((await sendCode(app, await next())).statusCode).toBe(200)
  })

  test('those of one user do not count for another', async () => {
    const { app, owners } = await pending()
    await registerWithFactor(app, owners, 'bob')
    const next = async (name: string) => pendingIn(await tryLogIn(app, name, password)).mfa_token
    for (let time = 0; time < 11; time += 1) await sendCode(app, await next('alice'), 'x')
    expect((await sendCode(app, await next('bob'))).statusCode).toBe(200)
  })

  test('a right code is not counted', async () => {
    const { app } = await pending()
    for (let time = 0; time < 12; time += 1) {
      const { mfa_token } = pendingIn(await tryLogIn(app, 'alice', password))
      expect((await sendCode(app, mfa_token)).statusCode).toBe(200)
    }
  })
})

test('each purpose has its own tokens', async () => {
  const { app, token } = await pending()
  const { accessToken } = tokensIn(await sendCode(app, token))
  const next = pendingIn(await tryLogIn(app, 'alice', password))
  await post(app, 'enrol', {}, accessToken)
  expectProblem(await sendCode(app, await emailedCode(app)), 'invalid_mfa_token')
  const taken = await post(app, 'enrol', { emailed_token: next.mfa_token }, accessToken)
  expectProblem(taken, 'invalid_or_expired_token')
  await app.db.transaction((tx) => tx.update(signInTokens).set({ purpose: 'another' }))
  expectProblem(await sendCode(app, next.mfa_token), 'invalid_mfa_token')
})

test('no session is enough instead of a pending login, and no other token', async () => {
  const { app, user } = await pending()
  expectProblem(await sendCode(app, user.accessToken), 'invalid_mfa_token')
})

test('a request has a code or a recovery code, not both', async () => {
  const { app, token } = await pending()
  for (const proof of [{}, { code: rightCode, recovery_code: 'x' }])
    expect((await post(app, 'mfa', { mfa_token: token, ...proof })).statusCode).toBe(422)
})

test('the database contains no token, and the clean-up deletes expired ones', async () => {
  const { app, token } = await pending()
  expect(await readDisk(app)).not.toContain(token)
  app.clock.advance(6 * 60)
  await runCleanUp(app)
  expect(await app.db.read.$count(signInTokens)).toBe(0)
})

test('new recovery codes end pending logins', async () => {
  const { app, token } = await pending()
  const { accessToken } = tokensIn(await sendCode(app, token))
  const { mfa_token } = pendingIn(await tryLogIn(app, 'alice', password))
  await post(app, 'recovery-codes', { code: rightCode }, accessToken)
  expectProblem(await sendCode(app, mfa_token), 'invalid_mfa_token')
})
