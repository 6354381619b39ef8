import { describe, expect, test } from 'vitest'
import { createEmailToken, hashEmailToken } from '../src/accounts/email-token-format.ts'
import { verificationCodes } from '../src/db/schema/verification-codes.ts'
import { register } from './accounts.ts'
import { createTestApp, type TestApp } from './app.ts'
import { requestReset, resendVerification, resetPassword, verify } from './flows.ts'
import { mailedToken, mailsTo } from './mailbox.ts'

async function registered() {
  const app = await createTestApp()
  await register(app)
  return { app, code: await mailedToken(app, 'verification') }
}

test('a code is 16 characters that nobody misreads, in groups of four', () => {
  for (let time = 0; time < 100; time += 1)
    expect(createEmailToken()).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
})

test('the mail says how long it is good, in minutes', async () => {
  const { app, code } = await registered()
  await requestReset(app)
  const [verification, reset] = await mailsTo(app)
  expect(verification?.variables).toEqual({ username: 'alice', code, expiration_minutes: '60' })
  expect(reset?.variables).toMatchObject({ username: 'alice', expiration_minutes: '30' })
})

describe('a code is taken', () => {
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

  test('with any of the letters that look alike', () => {
    const key = Buffer.alloc(32)
    expect(hashEmailToken('oO0i Il-L1', [key])).toBe(hashEmailToken('00011111', [key]))
  })

  // 'ı' and 'ſ' become I and S in upper case, 'K' (the Kelvin sign) becomes k in lower case.
  test.each(['\u0131', '\u017f', '\u212a', '\uff21'])('but not with a letter beyond ASCII: %s', (letter) => {
    const key = Buffer.alloc(32)
    for (const plain of ['1', 'S', 'K', 'A'])
      expect(hashEmailToken(letter, [key])).not.toBe(hashEmailToken(plain, [key]))
  })
})

describe('is_used', () => {
  const codes = (app: TestApp) =>
    app.db.read
      .select({ kind: verificationCodes.codeType, isUsed: verificationCodes.isUsed })
      .from(verificationCodes)
      .orderBy(verificationCodes.id)

  test('goes true with its use', async () => {
    const { app, code } = await registered()
    expect(await codes(app)).toEqual([{ kind: 'email_verification', isUsed: false }])
    await verify(app, code)
    expect(await codes(app)).toEqual([{ kind: 'email_verification', isUsed: true }])
  })

  test('goes true as soon as a newer code of its kind is mailed', async () => {
    const { app } = await registered()
    await requestReset(app)
    await resendVerification(app)
    expect(await codes(app)).toEqual([
      { kind: 'email_verification', isUsed: true },
      { kind: 'password_reset', isUsed: false },
      { kind: 'email_verification', isUsed: false },
    ])
  })

  test('goes true for all codes of a user whose password is reset', async () => {
    const { app } = await registered()
    await resetPassword(app, await requestReset(app))
    expect((await codes(app)).map(({ isUsed }) => isUsed)).toEqual([true, true])
  })

  test('stays false where the new password is too weak', async () => {
    const { app } = await registered()
    await resetPassword(app, await requestReset(app), 'short')
    expect((await codes(app)).map(({ isUsed }) => isUsed)).toEqual([false, false])
  })
})

test('a verified user is welcomed once', async () => {
  const { app, code } = await registered()
  await verify(app, code)
  await verify(app, code)
  const welcomes = (await mailsTo(app)).filter(({ template }) => template === 'welcome')
  expect(welcomes).toEqual([{ subject: 'Welcome', template: 'welcome', variables: { username: 'alice' } }])
})
