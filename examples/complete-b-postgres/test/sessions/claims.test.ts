import { expect, test } from 'vitest'
import { customClaims } from '../../src/sessions/custom-claims.ts'
import { getMe, logIn, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { sign, takeApart } from '../support/forge.ts'
import { expectProblem } from '../support/problem.ts'

const decode = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

/** Those of the owner, with any value. */
const custom = Object.fromEntries(Object.keys(customClaims).map((name) => [name, expect.anything()]))

test('an access token contains the user and its times, and nothing else', async () => {
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
    sid: expect.any(Number),
    // Add-ons that ask for a second factor say that the password was the first.
    amr: payload.amr && ['pwd'],
    iat: issuedAt,
    exp: issuedAt + 30 * 60,
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...custom,
  })
})

test('lifetime, algorithm, issuer and audience are configurable', async () => {
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

test('a token issued without a lifetime is valid for 15 minutes', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const [, payload] = decode(app.ctx.accessTokens.issue(await readUser(app, id)))
  expect(payload.exp - payload.iat).toBe(15 * 60)
})

test('a token signed with the right key but without issuer and audience is refused', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const { header, payload } = takeApart(await logIn(app))
  const { iat, exp, jti, sid } = payload
  const claims = { user_id: id, username: 'alice' }
  const token = sign(header, { ...claims, iat, exp, jti, sid }, app.config.accessTokens.secret)
  expectProblem(await getMe(app, token), 'invalid_token')
})
