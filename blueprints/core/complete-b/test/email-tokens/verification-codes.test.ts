import { describe, expect, test } from 'vitest'
import { verificationCodes } from '../../src/db/schema/verification-codes.ts'
import { createEmailToken, emailTokenHashes } from '../../src/email/tokens.ts'
import { register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { requestReset, resendVerification, resetPassword, verify } from '../support/flows.ts'
import { emailedToken, emailsTo } from '../support/mailbox.ts'

async function registered() {
  const app = await createTestApp()
  await register(app)
  return { app, code: await emailedToken(app, 'verification') }
}

test('a code has 16 unambiguous characters in groups of four', () => {
  for (let time = 0; time < 100; time += 1)
    expect(createEmailToken([Buffer.alloc(32)]).text).toMatch(
      /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/,
    )
})

test('its hash needs the key: without one, 80 bits could be searched in a dump', () => {
  const [one, other] = emailTokenHashes('0123', [Buffer.alloc(32, 1), Buffer.alloc(32, 2)])
  expect(one).not.toBe(other)
})

test('the email contains a link with the code in the fragment, and the lifetime in minutes', async () => {
  const { app, code } = await registered()
  const resetCode = await requestReset(app)
  const [verification, reset] = await emailsTo(app)
  expect(verification?.variables).toEqual({
    username: 'alice',
    code,
    verification_url: `http://localhost:3000/verify-email#token=${code}`,
    expiration_minutes: '60',
  })
  expect(reset?.variables).toEqual({
    username: 'alice',
    code: resetCode,
    reset_url: `http://localhost:3000/reset-password#token=${resetCode}`,
    expiration_minutes: '30',
  })
})

describe('a code is accepted', () => {
  test.each<[string, (code: string) => string]>([
    ['in lower case', (code) => code.toLowerCase()],
    ['without hyphens', (code) => code.replaceAll('-', '')],
    ['with spaces', (code) => ` ${code.replaceAll('-', '  ')} `],
    [
      'with O for 0, and I or l for 1',
      (code) => code.replaceAll('0', 'o').replace('1', 'I').replace('1', 'l'),
    ],
  ])('%s', async (_case, spell) => {
    const { app, code } = await registered()
    expect((await verify(app, spell(code))).statusCode).toBe(200)
  })

  /** The hash that a new code has. */
  const hashOf = (text: string) => emailTokenHashes(text, [Buffer.alloc(32)])[0]

  test('with all look-alike letters', () => {
    expect(hashOf('oO0i Il-L1')).toBe(hashOf('00011111'))
  })

  // 'ı' and 'ſ' become I and S in upper case, 'K' (the Kelvin sign) becomes k in lower case.
  test.each(['\u0131', '\u017f', '\u212a', '\uff21'])('but not with a non-ASCII letter: %s', (letter) => {
    for (const plain of ['1', 'S', 'K', 'A']) expect(hashOf(letter)).not.toBe(hashOf(plain))
  })
})

describe('is_used', () => {
  const codes = (app: TestApp) =>
    app.db.read
      .select({ kind: verificationCodes.codeType, isUsed: verificationCodes.isUsed })
      .from(verificationCodes)
      .orderBy(verificationCodes.id)

  test('becomes true when the code is used', async () => {
    const { app, code } = await registered()
    expect(await codes(app)).toEqual([{ kind: 'email_verification', isUsed: false }])
    await verify(app, code)
    expect(await codes(app)).toEqual([{ kind: 'email_verification', isUsed: true }])
  })

  test('becomes true as soon as a newer code of its kind is emailed', async () => {
    const { app } = await registered()
    await requestReset(app)
    await resendVerification(app)
    expect(await codes(app)).toEqual([
      { kind: 'email_verification', isUsed: true },
      { kind: 'password_reset', isUsed: false },
      { kind: 'email_verification', isUsed: false },
    ])
  })

  test('becomes true for all codes of a user whose password is reset', async () => {
    const { app } = await registered()
    await resetPassword(app, await requestReset(app))
    expect((await codes(app)).map(({ isUsed }) => isUsed)).toEqual([true, true])
  })

  test('stays false if the new password is too weak', async () => {
    const { app } = await registered()
    await resetPassword(app, await requestReset(app), 'short')
    expect((await codes(app)).map(({ isUsed }) => isUsed)).toEqual([false, false])
  })
})

test('a verified user gets one welcome email', async () => {
  const { app, code } = await registered()
  await verify(app, code)
  await verify(app, code)
  const welcomes = (await emailsTo(app)).filter(({ template }) => template === 'welcome')
  expect(welcomes).toMatchObject([{ variables: { username: 'alice' } }])
})
