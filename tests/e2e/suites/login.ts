import { expect, test } from 'vitest'
import { type Client, problem } from '../harness/client.ts'
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

/** Login, and the access token that it returns. What is refused is tested by the project itself. */
export function loginSuite(
  variant: Variant,
  service: () => Client,
  settings: () => Record<string, string>,
  ofAddOns: () => object = () => ({}),
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
        expires_in: expect.any(Number),
        ...inComplete(variant, { refresh_token: expect.any(String) }),
      })
    }
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
      ...ofAddOns(),
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
}
