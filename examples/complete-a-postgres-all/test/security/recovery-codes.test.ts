import { expect, test } from 'vitest'
import { recoveryCodes } from '../../src/db/schema/recovery-codes.ts'
import { bearer, password, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { post, registerVerified, startSession, tokensIn } from '../support/flows.ts'
import { appWithEnrolment, emailedCode, pendingIn, rightCode, sendCode } from '../support/made-up-factor.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'
import { readDisk } from '../support/read-disk.ts'

/** Registers a user with the made-up factor. @returns their recovery codes */
async function enrol(app: TestApp, username = 'alice') {
  const { email } = await registerVerified(app, username)
  const { accessToken } = await startSession(app, username)
  await post(app, 'enrol', {}, accessToken)
  const emailed = await emailedCode(app, email)
  const response = await post(app, 'enrol', { emailed_token: emailed }, accessToken)
  const codes: string[] = response.json()
  return { accessToken, codes }
}

async function recover(app: TestApp, code: string, username = 'alice') {
  const { mfa_token } = pendingIn(await tryLogIn(app, username, password))
  return post(app, 'mfa', { mfa_token, recovery_code: code })
}

test('the first factor gives ten codes of 50 bits, which differ', async () => {
  const { app } = await appWithEnrolment()
  const { codes, accessToken } = await enrol(app)
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
  const { factors } = pendingIn(await tryLogIn(app, 'alice', password))
  expect(factors).toEqual(['made_up', 'recovery_code'])
  const state = await app.inject({ url: '/api/v1/auth/mfa', headers: bearer(accessToken) })
  expect(state.json()).toEqual({ totp: false, passkeys: 0, recovery_codes_left: 10 })
})

// Parse CVE-2026-31875.
test('a code works once, also if it is sent twenty times at the same time', async () => {
  const { app } = await appWithEnrolment()
  const { codes } = await enrol(app)
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
  const { app } = await appWithEnrolment()
  const { codes } = await enrol(app)
  await enrol(app, 'bob')
  expectProblem(await recover(app, codes[0] ?? '', 'bob'), 'wrong_mfa_code')
  expect((await recover(app, codes[0] ?? '')).statusCode).toBe(200)
})

test('a code can be typed in any case and without the hyphen', async () => {
  const { app } = await appWithEnrolment()
  const { codes } = await enrol(app)
  const typed = codes.map((code) =>
    code.toLowerCase().replace('-', ' ').replaceAll('1', 'l').replaceAll('0', 'o'),
  )
  expect((await recover(app, typed[0] ?? '')).statusCode).toBe(200)
})

test('using a code tells the user, with how many are left', async () => {
  const { app } = await appWithEnrolment()
  const { codes } = await enrol(app)
  const { accessToken } = tokensIn(await recover(app, codes[0] ?? ''))
  expect(app.ctx.accessTokens.verify(accessToken).payload.amr).toEqual(['pwd', 'otp', 'mfa'])
  expect((await emailsTo(app)).at(-1)).toMatchObject({
    template: 'recovery_code_used',
    variables: { left: '9' },
  })
})

test('new codes make the old ones void, and need a code of the factor', async () => {
  const { app } = await appWithEnrolment()
  const { codes, accessToken } = await enrol(app)
  const refused = await post(app, 'recovery-codes', { code: codes[0] }, accessToken)
  expectProblem(refused, 'invalid_code')
  const response = await post(app, 'recovery-codes', { code: rightCode }, accessToken)
  const renewed: string[] = response.json().recovery_codes
  expect(renewed).toHaveLength(10)
  expectProblem(await recover(app, codes[0] ?? ''), 'wrong_mfa_code')
  expect((await recover(app, renewed[0] ?? '')).statusCode).toBe(200)
})

test('new codes need a recent login', async () => {
  const { app } = await appWithEnrolment()
  const { accessToken } = await enrol(app)
  app.clock.advance(601)
  const response = await post(app, 'recovery-codes', { code: rightCode }, accessToken)
  expectProblem(response, 'reauthentication_required')
})

test('the database contains no code, and the hashes of two users differ', async () => {
  const { app } = await appWithEnrolment()
  const { codes } = await enrol(app)
  const disk = await readDisk(app)
  for (const code of codes) {
    expect(disk).not.toContain(code)
    expect(disk).not.toContain(code.replace('-', ''))
  }
  const rows = await app.db.read.select().from(recoveryCodes)
  expect(rows.every(({ code }) => /^[0-9a-f]{64}$/.test(code))).toBe(true)
})

test('a code of before a new secret works while the former one is listed', async () => {
  const { app } = await appWithEnrolment()
  const { codes } = await enrol(app)
  const { secret } = app.config.accessTokens
  const config = (previousSecrets: string[]) => ({
    ...app.config,
    accessTokens: {
      ...app.config.accessTokens,
      secret: 'another-secret-of-at-least-32-bytes!',
      previousSecrets,
    },
  })
  const listed = await createTestApp({}, false, { db: app.db, config: config([secret]) })
  const unlisted = await createTestApp({}, false, { db: app.db, config: config([]) })
  expectProblem(await recover(unlisted, codes[0] ?? ''), 'wrong_mfa_code')
  expect((await recover(listed, codes[0] ?? '')).statusCode).toBe(200)
  expect((await sendCode(app, 'x')).statusCode).toBe(401)
})
