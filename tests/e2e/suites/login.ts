import { expect, test } from 'vitest'
import { type Answer, type Client, problem } from '../harness/client.ts'
import { decodeToken, signToken } from '../harness/token.ts'
import {
  inComplete,
  LOGIN,
  loggedIn,
  ME,
  newUser,
  PASSWORD,
  REGISTER,
  userFields,
  type Variant,
} from './accounts.ts'

/** Login, and the access token that it returns. */
export function loginSuite(
  variant: Variant,
  service: () => Client,
  settings: () => Record<string, string>,
): void {
  const { profile } = variant
  const secret = () => settings()[profile === 'A' ? 'SECRET_KEY' : 'JWT_SECRET_KEY'] ?? ''
  const me = (token: string) => service().get(ME, { token })

  test('login finds a user by username or email, in any case', async () => {
    await service().post(REGISTER, newUser('Finder'))
    for (const login of [
      { username: 'Finder' },
      { username: 'fINDER' },
      { email: 'finder@example.com' },
      { email: 'FINDER@example.com' },
      { username: 'Finder@Example.com' },
    ]) {
      const { status, body } = await service().post(LOGIN, { ...login, password: PASSWORD })
      expect(status, JSON.stringify(login)).toBe(200)
      expect(body).toEqual({
        access_token: expect.any(String),
        token_type: 'bearer',
        ...inComplete(variant, { refresh_token: expect.any(String) }),
      })
    }
  })

  test.each([
    ['neither username nor email', { password: PASSWORD }],
    ['both', { username: 'finder', email: 'finder@example.com', password: PASSWORD }],
    ['no password', { username: 'finder' }],
    ['an array', { username: ['finder'], password: PASSWORD }],
    ['an unknown field', { username: 'finder', password: PASSWORD, admin: true }],
  ])('login with %s is refused', async (_what, body) => {
    expect((await service().post(LOGIN, body)).body).toMatchObject({ status: 422, code: 'validation_failed' })
  })

  test('a wrong password and an unknown user get the same response', async () => {
    await service().post(REGISTER, newUser('known'))
    const answers = [
      await service().post(LOGIN, { username: 'known', password: 'Wrong-Horse-7' }),
      await service().post(LOGIN, { username: 'unknown', password: 'Wrong-Horse-7' }),
      await service().post(LOGIN, { email: 'unknown@example.com', password: 'Wrong-Horse-7' }),
    ]
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect(body).toEqual(problem(401, 'Invalid credentials', 'invalid_credentials', LOGIN))
    }
    const names = answers.map(({ headers }) => [...headers.keys()].sort())
    expect(new Set(names.map(String)).size).toBe(1)
  })

  test('the access token carries the claims of the profile, signed with the secret of .env', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { id, token } = await loggedIn(service(), 'Claimant')
    const { header, payload } = decodeToken(token)
    expect(header).toEqual({ alg: 'HS256', typ: 'at+jwt' })
    const common = {
      user_id: id,
      exp: expect.any(Number),
      iat: expect.any(Number),
      jti: expect.any(String),
      ...inComplete(variant, { sid: expect.any(Number) }),
    }
    expect(payload).toEqual(
      profile === 'A'
        ? { ...common, username: 'Claimant' }
        : {
            ...common,
            sub: 'Claimant',
            iss: expect.any(String),
            aud: expect.any(String),
            token_type: 'access',
          },
    )
    expect(Number(payload.exp) - Number(payload.iat)).toBe(1800)
    expect(Number(payload.iat)).toBeGreaterThanOrEqual(before)
    expect(Number(payload.iat)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 1)
    expect(signToken({ header, payload }, secret())).toBe(token)
  })

  test('users/me returns the user of the token', async () => {
    const { id, token } = await loggedIn(service(), 'Reader')
    const { status, body } = await me(token)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(userFields(variant))
    expect(body).toMatchObject({ id, username: 'Reader', email: 'reader@example.com', is_active: true })
  })

  test('a request without a token gets 401 not_authenticated', async () => {
    for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer ' }]) {
      const answer = await service().get(ME, { headers })
      expect(answer.body).toEqual(problem(401, 'Not authenticated', 'not_authenticated', ME))
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('an expired token gets 401 token_expired', async () => {
    const { header, payload } = decodeToken((await loggedIn(service(), 'Late')).token)
    const seconds = Math.floor(Date.now() / 1000)
    const expired = signToken(
      { header, payload: { ...payload, iat: seconds - 1805, exp: seconds - 5 } },
      secret(),
    )
    const answer = await me(expired)
    expect(answer.body).toEqual(problem(401, 'Token expired', 'token_expired', ME))
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  })

  test('the same token signed again is accepted, so the forgeries below fail because of their change', async () => {
    const { token } = await loggedIn(service(), 'Honest')
    expect((await me(signToken(decodeToken(token), secret()))).status).toBe(200)
  })

  type Forgery = [string, (header: object, payload: Record<string, unknown>) => [object, object], string?]
  const forgeries: Forgery[] = [
    ['alg none', (header, payload) => [{ ...header, alg: 'none' }, payload]],
    ['another algorithm', (header, payload) => [{ ...header, alg: 'HS512' }, payload]],
    ['another secret', (header, payload) => [header, payload], 'x'.repeat(43)],
    ['another type', (header, payload) => [{ ...header, typ: 'JWT' }, payload]],
    ['an embedded key', (header, payload) => [{ ...header, jwk: { kty: 'oct', k: 'eA' } }, payload]],
    ['a key URL', (header, payload) => [{ ...header, jku: 'http://127.0.0.1:1/' }, payload]],
    ['an unknown kid', (header, payload) => [{ ...header, kid: '../../dev/null' }, payload]],
    ['no exp', (header, { exp: _, ...payload }) => [header, payload]],
    ...(variant.mode === 'complete'
      ? ([
          ['another session', (header, payload) => [header, { ...payload, sid: 999_999 }]],
          ['no session', (header, { sid: _, ...payload }) => [header, payload]],
          ['a string as session', (header, payload) => [header, { ...payload, sid: `${payload.sid}` }]],
        ] as Forgery[])
      : []),
    ['an absurd exp', (header, payload) => [header, { ...payload, exp: 4e12 }]],
    ['a string as exp', (header, payload) => [header, { ...payload, exp: `${payload.exp}` }]],
    ['an iat in the future', (header, payload) => [header, { ...payload, iat: Number(payload.exp) - 60 }]],
    ['another user id', (header, payload) => [header, { ...payload, user_id: 999_999 }]],
    ['a string as user id', (header, payload) => [header, { ...payload, user_id: `${payload.user_id}` }]],
    ...(profile === 'A'
      ? ([
          ['another username', (header, payload) => [header, { ...payload, username: 'Reader' }]],
        ] as Forgery[])
      : ([
          ['another subject', (header, payload) => [header, { ...payload, sub: 'Reader' }]],
          ['another issuer', (header, payload) => [header, { ...payload, iss: 'elsewhere' }]],
          ['another audience', (header, payload) => [header, { ...payload, aud: 'elsewhere' }]],
          ['another token type', (header, payload) => [header, { ...payload, token_type: 'refresh' }]],
        ] as Forgery[])),
  ]
  test('a forged token gets 401 invalid_token', async () => {
    const { token } = await loggedIn(service(), 'Forged')
    const { header, payload } = decodeToken(token)
    const expectInvalid = (what: string, answer: Answer) => {
      expect.soft(answer.body, what).toEqual(problem(401, 'Invalid token', 'invalid_token', ME))
      expect.soft(answer.headers.get('www-authenticate'), what).toBe('Bearer error="invalid_token"')
    }
    for (const [what, forge, key = secret()] of forgeries) {
      const [forgedHeader, forgedPayload] = forge(header, payload)
      const forged = signToken({ header: { ...forgedHeader }, payload: { ...forgedPayload } }, key)
      expectInvalid(what, await me(forged))
    }
    for (const broken of ['x', 'x.y.z', `${token}x`, token.slice(0, -5), `${token}.${token}`]) {
      expectInvalid(broken, await me(broken))
    }
  })
}
