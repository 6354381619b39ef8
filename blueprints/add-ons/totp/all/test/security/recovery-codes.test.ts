import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { recoveryCodes } from '../../src/db/schema/recovery-codes.ts'
import { bearer, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { post, tokensIn } from '../support/flows.ts'
import { pendingIn } from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'
import { readDisk } from '../support/read-disk.ts'
import { storedSessions } from '../support/stored.ts'
import { codeOf, mfaToken, registerWithTotp, sendTotp } from '../support/totp.ts'

async function recover(app: TestApp, code: string, username = 'alice') {
  const { mfa_token } = pendingIn(await tryLogIn(app, username, password))
  return post(app, 'mfa', { mfa_token, recovery_code: code })
}

test('an app comes with ten codes of 50 bits, which differ', async () => {
  const app = await createTestApp()
  const { codes, accessToken } = await registerWithTotp(app)
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
  const { factors } = pendingIn(await tryLogIn(app, 'alice', password))
  expect(factors).toEqual(['totp', 'recovery_code'])
  const state = await app.inject({ url: '/api/v1/auth/mfa', headers: bearer(accessToken) })
  expect(state.json()).toEqual({ totp: true, passkeys: 0, recovery_codes_left: 10 })
})

// Parse CVE-2026-31875.
test('a code works once, also if it is sent twenty times at the same time', async () => {
  const app = await createTestApp()
  const { codes } = await registerWithTotp(app)
  const [code = ''] = codes
  const pending = []
  for (let time = 0; time < 9; time += 1) pending.push(pendingIn(await tryLogIn(app, 'alice', password)))
  const responses = await Promise.all(
    pending.map(({ mfa_token }) => post(app, 'mfa', { mfa_token, recovery_code: code })),
  )
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  expectProblem(await recover(app, code), 'wrong_mfa_code')
})

// Gogs CVE-2025-64175.
test('a code of another user is refused, and stays theirs', async () => {
  const app = await createTestApp()
  const { codes } = await registerWithTotp(app)
  await registerWithTotp(app, 'bob')
  expectProblem(await recover(app, codes[0] ?? '', 'bob'), 'wrong_mfa_code')
  expect((await recover(app, codes[0] ?? '')).statusCode).toBe(200)
})

test('a code can be typed in any case and without the hyphen', async () => {
  const app = await createTestApp()
  const { codes } = await registerWithTotp(app)
  const typed = codes.map((code) =>
    code.toLowerCase().replace('-', ' ').replaceAll('1', 'l').replaceAll('0', 'o'),
  )
  expect((await recover(app, typed[0] ?? '')).statusCode).toBe(200)
})

test('using a code tells the user, with how many are left', async () => {
  const app = await createTestApp()
  const { codes } = await registerWithTotp(app)
  const { accessToken } = tokensIn(await recover(app, codes[0] ?? ''))
  expect(app.ctx.accessTokens.verify(accessToken).payload.amr).toEqual(['pwd', 'otp', 'mfa'])
  expect((await emailsTo(app)).at(-1)).toMatchObject({
    template: 'recovery_code_used',
    variables: { left: '9' },
  })
})

test('new codes make the old ones void, and need a code of the factor', async () => {
  const app = await createTestApp()
  const { codes, accessToken, secret } = await registerWithTotp(app)
  const refused = await post(app, 'recovery-codes', { code: codes[0] }, accessToken)
  expectProblem(refused, 'invalid_code')
  expectProblem(await post(app, 'recovery-codes', {}, accessToken), 'invalid_code')
  const response = await post(app, 'recovery-codes', { code: codeOf(app, secret) }, accessToken)
  const renewed: string[] = response.json().recovery_codes
  expect(renewed).toHaveLength(10)
  expectProblem(await recover(app, codes[0] ?? ''), 'wrong_mfa_code')
  expect((await recover(app, renewed[0] ?? '')).statusCode).toBe(200)
})

test('new codes need a recent login', async () => {
  const app = await createTestApp()
  const { accessToken, secret } = await registerWithTotp(app)
  app.clock.advance(601)
  const response = await post(app, 'recovery-codes', { code: codeOf(app, secret) }, accessToken)
  expectProblem(response, 'reauthentication_required')
})

test('the database contains no code, and the hashes of two users differ', async () => {
  const app = await createTestApp()
  const { codes } = await registerWithTotp(app)
  const disk = await readDisk(app)
  for (const code of codes) {
    expect(disk).not.toContain(code)
    expect(disk).not.toContain(code.replace('-', ''))
  }
  const rows = await app.db.read.select().from(recoveryCodes)
  expect(rows.every(({ code }) => /^[0-9a-f]{64}$/.test(code))).toBe(true)
})

test('the same code has another hash for another user: each has a key of their own', async () => {
  const app = await createTestApp()
  const { codes, id } = await registerWithTotp(app)
  const bob = await registerWithTotp(app, 'bob')
  await app.db.transaction((tx) =>
    tx.update(recoveryCodes).set({ userId: bob.id }).where(eq(recoveryCodes.userId, id)),
  )
  expectProblem(await recover(app, codes[0] ?? '', 'bob'), 'wrong_mfa_code')
})

test('a session by a recovery code says so in its row, and as a code in its tokens', async () => {
  const app = await createTestApp()
  const { codes } = await registerWithTotp(app)
  const { accessToken } = tokensIn(await recover(app, codes[0] ?? ''))
  expect(app.ctx.accessTokens.verify(accessToken).payload.amr).toEqual(['pwd', 'otp', 'mfa'])
  expect((await storedSessions(app)).map(({ amr }) => amr)).toContain('pwd recovery mfa')
})

test('a recovery code is never refused for wrong codes, and a wrong one counts for its login alone', async () => {
  const app = await createTestApp()
  const { codes, secret } = await registerWithTotp(app)
  const fromStranger = async (body: object) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/mfa',
      remoteAddress: '198.51.100.9',
      body: { mfa_token: await mfaToken(app), ...body },
    })
  for (let time = 0; time < 21; time += 1) await fromStranger({ recovery_code: 'AAAAA-BBBBB' })
  expectProblem(await fromStranger({ code: codeOf(app, secret, 9) }), 'wrong_mfa_code')
  for (let time = 0; time < 20; time += 1) await fromStranger({ code: codeOf(app, secret, 9) })
  expect((await fromStranger({ code: codeOf(app, secret) })).statusCode).toBe(429)
  expect((await fromStranger({ recovery_code: codes[0] })).statusCode).toBe(200)
  const mfa_token = await mfaToken(app)
  const wrong = () => post(app, 'mfa', { mfa_token, recovery_code: 'AAAAA-BBBBB' })
  for (let time = 0; time < 5; time += 1) expectProblem(await wrong(), 'wrong_mfa_code')
  expectProblem(await wrong(), 'invalid_mfa_token')
  expect((await sendTotp(app, codeOf(app, secret))).statusCode).toBe(200)
})

test('new codes end pending logins', async () => {
  const app = await createTestApp()
  const { accessToken, secret } = await registerWithTotp(app)
  const mfa_token = await mfaToken(app)
  expect((await post(app, 'recovery-codes', { code: codeOf(app, secret) }, accessToken)).statusCode).toBe(200)
  app.clock.advance(30)
  expectProblem(await post(app, 'mfa', { mfa_token, code: codeOf(app, secret) }), 'invalid_mfa_token')
})
