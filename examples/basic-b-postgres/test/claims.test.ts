import { expect, test } from 'vitest'
import { logIn, readUser, register } from './accounts.ts'
import { createTestApp } from './app.ts'

const decode = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

test('an access token says for whom it is and how long, and nothing else', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const [header, payload] = decode(await logIn(app))
  const issuedAt = Math.floor(app.clock.now() / 1000)
  expect(header).toEqual({ alg: 'HS256', typ: 'at+jwt' })
  expect(payload).toEqual({
    sub: 'alice',
    user_id: id,
    iss: app.config.accessTokens.issuer,
    aud: app.config.accessTokens.audience,
    token_type: 'access',
    iat: issuedAt,
    exp: issuedAt + 30 * 60,
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
})

test('lifetime, algorithm, issuer and audience are settings', async () => {
  const app = await createTestApp({
    JWT_ACCESS_TOKEN_EXPIRATION: '300',
    JWT_ALGORITHM: 'HS512',
    JWT_ISSUER: 'https://auth.example.com',
    JWT_AUDIENCE: 'shop',
  })
  await register(app)
  const [header, payload] = decode(await logIn(app))
  expect(header.alg).toBe('HS512')
  expect(payload.exp - payload.iat).toBe(300)
  expect(payload).toMatchObject({ iss: 'https://auth.example.com', aud: 'shop' })
})

test('a token that is issued without a lifetime lives for 15 minutes', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const [, payload] = decode(app.accounts.accessTokens.issue(await readUser(app, id)))
  expect(payload.exp - payload.iat).toBe(15 * 60)
})
