import { describe, expect, test } from 'vitest'
import { hashCode, hashLinkToken } from '../src/accounts/email-token-hashes.ts'
import { type EmailTokenKind, storeEmailToken } from '../src/accounts/email-token-store.ts'
import { deriveKeys } from '../src/accounts/keys.ts'
import { readUser, register } from './accounts.ts'
import { createTestApp, type TestApp } from './app.ts'
import { requestReset, resendVerification, resetPassword, verify } from './flows.ts'
import { expectProblem } from './problem.ts'
import { settingNames } from './settings.ts'

const formerSecret = 'the-secret-of-the-time-before-the-change'

/** What either profile mails, and how its row says so. */
const forms = {
  'a token of a link': {
    token: 'Zz0_-aB9'.padEnd(43, 'k'),
    hash: (_key: Buffer) => hashLinkToken('Zz0_-aB9'.padEnd(43, 'k')),
  },
  'a code': { token: 'ok1p-abcd 8xyz-7777', hash: (key: Buffer) => hashCode('0K1PABCD8XYZ7777', key) },
}

/** alice, to whom it was mailed before the change; the row was carried over. */
async function mailedBefore(
  kind: EmailTokenKind,
  { hash }: (typeof forms)[keyof typeof forms],
  from: (app: TestApp) => string = ({ config }) => config.accessTokens.secret,
) {
  const app = await createTestApp({ [settingNames.previousSecrets]: formerSecret })
  const { id } = await register(app)
  const { accessTokens } = app.config
  const [key] = deriveKeys({ ...accessTokens, secret: from(app), previousSecrets: [] }).emailTokens
  const [createdAt, expiresAt] = [new Date(app.now()), new Date(app.now() + 600_000)]
  await app.db.transaction((tx) => storeEmailToken(tx, id, kind, hash(key), createdAt, expiresAt))
  return { app, id }
}

describe.each(Object.entries(forms))('%s that was mailed before a change of the profile', (_name, form) => {
  test('verifies, once', async () => {
    const { app, id } = await mailedBefore('verification', form)
    expect((await verify(app, form.token)).statusCode).toBe(200)
    expect((await readUser(app, id)).isVerified).toBe(true)
    expectProblem(await verify(app, form.token), 'invalid_or_expired_token')
  })

  test('resets the password, once', async () => {
    const { app } = await mailedBefore('reset', form)
    expect((await resetPassword(app, form.token)).statusCode).toBe(200)
    expectProblem(await resetPassword(app, form.token), 'invalid_or_expired_token')
  })

  test('is good for its own purpose only', async () => {
    const { app } = await mailedBefore('verification', form)
    expectProblem(await resetPassword(app, form.token), 'invalid_or_expired_token')
  })

  test('ends with its time', async () => {
    const { app } = await mailedBefore('reset', form)
    app.clock.advance(600)
    expectProblem(await resetPassword(app, form.token), 'invalid_or_expired_token')
  })

  test('is void as soon as a newer one is mailed', async () => {
    const { app } = await mailedBefore('verification', form)
    await resendVerification(app)
    expectProblem(await verify(app, form.token), 'invalid_or_expired_token')
    const reset = await mailedBefore('reset', form)
    await requestReset(reset.app)
    expectProblem(await resetPassword(reset.app, form.token), 'invalid_or_expired_token')
  })

  test('outlives a change of the secret, while the former one is listed', async () => {
    const { app } = await mailedBefore('verification', form, () => formerSecret)
    expect((await verify(app, form.token)).statusCode).toBe(200)
  })
})

test('a code of a secret that is not listed is refused', async () => {
  const { app } = await mailedBefore('verification', forms['a code'], () => 'x'.repeat(32))
  expectProblem(await verify(app, forms['a code'].token), 'invalid_or_expired_token')
})
