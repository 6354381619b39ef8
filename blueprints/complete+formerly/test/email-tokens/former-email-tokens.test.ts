import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type EmailTokenKind, storeEmailToken } from '../../src/email/token-store.ts'
import { deriveKeys } from '../../src/sessions/keys.ts'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { requestReset, resendVerification, resetPassword, verify } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { settingNames } from '../support/settings.ts'

const formerSecret = 'the-former-secret-of-at-least-32-bytes'

/** The tokens that each profile emails, and their hashes. */
const forms = {
  'a token of a link': {
    token: 'Zz0_-aB9'.padEnd(43, 'k'),
    hash: () => createHash('sha256').update('Zz0_-aB9'.padEnd(43, 'k')).digest('hex'),
  },
  'a code': {
    token: 'ok1p-abcd 8xyz-7777',
    hash: (key: Buffer) => createHmac('sha256', key).update('0K1PABCD8XYZ7777').digest('hex'),
  },
}

/** Creates alice with a token that was emailed before the switch and whose row was copied. */
async function emailedBefore(
  kind: EmailTokenKind,
  { hash }: (typeof forms)[keyof typeof forms],
  from: (app: TestApp) => string = ({ config }) => config.accessTokens.secret,
) {
  const app = await createTestApp({ [settingNames.previousSecrets]: formerSecret })
  const { id } = await register(app)
  const { accessTokens } = app.config
  const [key] = deriveKeys({ ...accessTokens, secret: from(app), previousSecrets: [] }).emailTokens
  const [createdAt, expiresAt] = [new Date(app.now()), new Date(app.now() + 600_000)]
  await app.db.transaction((tx) =>
    storeEmailToken(tx, { userId: id, kind, hash: hash(key), createdAt, expiresAt }),
  )
  return { app, id }
}

describe.each(Object.entries(forms))('%s that was emailed before a switch of the profile', (_name, form) => {
  test('verifies, once', async () => {
    const { app, id } = await emailedBefore('verification', form)
    expect((await verify(app, form.token)).statusCode).toBe(200)
    expect((await readUser(app, id)).isVerified).toBe(true)
    expectProblem(await verify(app, form.token), 'invalid_or_expired_token')
  })

  test('resets the password, once', async () => {
    const { app } = await emailedBefore('reset', form)
    expect((await resetPassword(app, form.token)).statusCode).toBe(200)
    expectProblem(await resetPassword(app, form.token), 'invalid_or_expired_token')
  })

  test('works only for its purpose', async () => {
    const { app } = await emailedBefore('verification', form)
    expectProblem(await resetPassword(app, form.token), 'invalid_or_expired_token')
  })

  test('expires', async () => {
    const { app } = await emailedBefore('reset', form)
    app.clock.advance(600)
    expectProblem(await resetPassword(app, form.token), 'invalid_or_expired_token')
  })

  test('is revoked as soon as a newer one is emailed', async () => {
    const { app } = await emailedBefore('verification', form)
    await resendVerification(app)
    expectProblem(await verify(app, form.token), 'invalid_or_expired_token')
    const reset = await emailedBefore('reset', form)
    await requestReset(reset.app)
    expectProblem(await resetPassword(reset.app, form.token), 'invalid_or_expired_token')
  })

  test('survives a change of the secret while the former one is listed', async () => {
    const { app } = await emailedBefore('verification', form, () => formerSecret)
    expect((await verify(app, form.token)).statusCode).toBe(200)
  })
})

test('a code hashed with a secret that is not listed is refused', async () => {
  const { app } = await emailedBefore('verification', forms['a code'], () => 'x'.repeat(32))
  expectProblem(await verify(app, forms['a code'].token), 'invalid_or_expired_token')
})
