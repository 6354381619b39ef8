import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { signInTokens } from '../../src/db/schema/sign-in-tokens.ts'
import { attemptKeys } from '../../src/limits/attempts.ts'
import { isFamiliar } from '../../src/limits/login-limit.ts'
import { password, tryLogIn } from '../support/accounts.ts'
import { runCommand } from '../support/commands.ts'
import { newPassword, post, requestReset, resetPassword, runCleanUp, tokensIn } from '../support/flows.ts'
import {
  appWithEnrolment,
  emailedCode,
  pendingIn,
  registerWithFactor,
  rightCode,
  sendCode,
} from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
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
  test('twenty a day are counted over all logins and endpoints, then even the right one is refused', async () => {
    const { app } = await pending()
    const next = async () => pendingIn(await tryLogIn(app, 'alice', password)).mfa_token
    for (let time = 0; time < 20; time += 1)
      expectProblem(await sendCode(app, await next(), 'x'), 'wrong_mfa_code')
    const refused = await sendCode(app, await next())
    expect(refused.statusCode).toBe(429)
    expect(refused.json().detail).toContain('A recovery code, a passkey or a reset of the password')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(23 * 60 * 60)
    await sendCode(app, await next())
    const notices = (await emailsTo(app)).filter(({ template }) => template === 'wrong_codes')
    expect(notices).toHaveLength(1)
    app.clock.advance(24 * 60 * 60)
    expect((await sendCode(app, await next())).statusCode).toBe(200)
  })

  const guessed = async () => {
    const { app, owners } = await pending()
    const next = async (given = password, name = 'alice') =>
      pendingIn(await tryLogIn(app, name, given)).mfa_token
    const from = async (remoteAddress: string, code: string, given = password) =>
      app.inject({
        method: 'POST',
        url: '/api/v1/auth/mfa',
        remoteAddress,
        body: { mfa_token: await next(given), code },
      })
    const guess = async () => {
      for (let time = 0; time < 20; time += 1) await from('198.51.100.9', 'x')
      expect((await from('198.51.100.9', rightCode)).statusCode).toBe(429)
    }
    return { app, owners, from, guess }
  }

  // Otherwise a thief of the password locks the owner out with twenty wrong codes a day.
  test('a client that has passed the second factor has a count of its own, for 30 days', async () => {
    const { app, from, guess } = await guessed()
    expect((await from('192.0.2.7', rightCode)).statusCode).toBe(200)
    await guess()
    expect((await from('192.0.2.7', rightCode)).statusCode).toBe(200)
    for (let time = 0; time < 20; time += 1) await from('192.0.2.7', 'x')
    expect((await from('192.0.2.7', rightCode)).statusCode).toBe(429)
    app.clock.advance(30 * 24 * 60 * 60)
    await guess()
    expect((await from('192.0.2.7', rightCode)).statusCode).toBe(429)
  })

  test('that client is forgotten when all access ends: it may be a thief who passed it too', async () => {
    const { app, from, guess } = await guessed()
    expect((await from('192.0.2.7', rightCode)).statusCode).toBe(200)
    await runCommand(app, 'end-sessions', 'alice')
    await guess()
    expect((await from('192.0.2.7', rightCode)).statusCode).toBe(429)
  })

  test('a reset of the password lets the owner in at once', async () => {
    const { app, from, guess } = await guessed()
    await guess()
    await resetPassword(app, await requestReset(app))
    expect((await from('192.0.2.7', rightCode, newPassword)).statusCode).toBe(200)
  })

  test('a code that fails afterwards stays counted', async () => {
    const { app, user } = await pending()
    const { mfa_token } = pendingIn(await tryLogIn(app, 'alice', password))
    app.ctx.loginSteps.push(() => Promise.reject(new Error('made up')))
    await sendCode(app, mfa_token)
    const counts = await app.db.read
      .select({ count: attempts.count })
      .from(attempts)
      .where(eq(attempts.account, attemptKeys('wrong code', String(user.id)).account))
    expect(counts).toEqual([{ count: 1 }])
  })

  test('those of one user do not count for another', async () => {
    const { app, owners } = await pending()
    await registerWithFactor(app, owners, 'bob')
    const next = async (name: string) => pendingIn(await tryLogIn(app, name, password)).mfa_token
    for (let time = 0; time < 21; time += 1) await sendCode(app, await next('alice'), 'x')
    expect((await sendCode(app, await next('bob'))).statusCode).toBe(200)
  })

  test('a right code is not counted', async () => {
    const { app } = await pending()
    for (let time = 0; time < 22; time += 1) {
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

test('a proof that is missing is refused as a wrong one', async () => {
  const { app, token } = await pending()
  expectProblem(await post(app, 'mfa', { mfa_token: token }), 'wrong_mfa_code')
})

test('the client that began the login becomes familiar, not the one that sent the code', async () => {
  const { app, token, user } = await pending()
  await app.inject({
    method: 'POST',
    url: '/api/v1/auth/mfa',
    remoteAddress: '198.51.100.9',
    body: { mfa_token: token, code: rightCode },
  })
  const isKnown = (address: string) => app.db.transaction((tx) => isFamiliar(tx, user.id, address, app.now()))
  expect(await isKnown('198.51.100.9')).toBe(false)
  expect(await isKnown('192.0.2.1')).toBe(true)
})

test('the database contains no token, and the clean-up deletes expired ones', async () => {
  const { app, token } = await pending()
  expect(await readDisk(app)).not.toContain(token)
  app.clock.advance(6 * 60)
  await runCleanUp(app)
  expect(await app.db.read.$count(signInTokens)).toBe(0)
})
