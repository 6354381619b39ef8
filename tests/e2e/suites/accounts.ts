import { expect, test } from 'vitest'
import { type Answer, problem } from '../harness/client.ts'
import type { Service } from '../harness/service.ts'
import { decodeToken, signToken } from '../harness/token.ts'
import type { Entry } from './process.ts'

export type Profile = 'A' | 'B'

/** A mode with accounts, in one profile. Mode complete adds fields to what mode basic answers. */
export interface Variant {
  mode: 'basic' | 'complete'
  profile: Profile
}

/** What mode complete has, and mode basic has not. */
const inComplete = <Value extends object>({ mode }: Variant, value: Value): Partial<Value> =>
  mode === 'complete' ? value : {}

/** The fields of UserResponse, sorted. */
const userFields = ({ mode }: Variant): string[] => {
  const verified = mode === 'complete' ? ['is_verified'] : []
  return ['created_at', 'email', 'id', 'is_active', ...verified, 'username']
}

export const REGISTER = '/api/v1/auth/register'
export const LOGIN = '/api/v1/auth/login'
export const ME = '/api/v1/users/me'
export const PASSWORD = 'Correct-Horse-7'

/** A user whose name is not taken yet. */
export const newUser = (username: string) => ({
  username,
  email: `${username}@example.com`,
  password: PASSWORD,
})

/** Accounts as what a client can add and see again. */
export const account: Entry = {
  path: REGISTER,
  body: (n) => newUser(`user${n}`),
  has: async (service, n) => {
    const { username, password } = newUser(`user${n}`)
    return (await service.post(LOGIN, { username, password })).status === 200
  },
}

/** Registers a user and logs in. */
export async function loggedIn(service: Service, username: string): Promise<{ id: number; token: string }> {
  const registered = await service.post(REGISTER, newUser(username))
  expect(registered.status).toBe(201)
  const login = await service.post(LOGIN, { username, password: PASSWORD })
  expect(login.status).toBe(200)
  return { id: registered.body.id, token: login.body.access_token }
}

/** Registration: what is answered, what is refused. The service must not limit registrations below 60 a minute. */
export function registrationSuite(variant: Variant, service: () => Service): void {
  const { profile } = variant

  test('register answers 201 with the fields of UserResponse', async () => {
    const { status, body } = await service().post(REGISTER, {
      username: 'Alice',
      email: 'Alice@Example.COM',
      password: PASSWORD,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      email: 'alice@example.com',
      username: 'Alice',
      is_active: true,
      ...inComplete(variant, { is_verified: false }),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    })
    expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(60_000)
  })

  test('an email or a username is taken whatever its case, with one text for both', async () => {
    await service().post(REGISTER, newUser('taken'))
    const answers = await Promise.all([
      service().post(REGISTER, { ...newUser('other'), username: 'TAKEN' }),
      service().post(REGISTER, { ...newUser('other'), email: 'Taken@Example.com' }),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(409)
      expect(body).toEqual(
        problem(409, 'Email or username already registered', 'already_registered', REGISTER),
      )
    }
  })

  test('of 10 registrations of one name at once exactly one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        service().post(REGISTER, { ...newUser('racer'), email: `racer${n}@example.com` }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(9).fill(409)])
  })

  const tooShort = 'Password must be at least 8 characters'
  const noUppercase = 'Password must contain uppercase letter'
  const noLowercase = 'Password must contain lowercase letter'
  const noDigit = 'Password must contain digit'
  const noSpecial = profile === 'B' ? ['Password must contain special character'] : []
  test.each([
    ['', [tooShort, noUppercase, noLowercase, noDigit, ...noSpecial]],
    ['Ab1-xyz', [tooShort]],
    ['correct-horse-7', [noUppercase]],
    ['CORRECT-HORSE-7', [noLowercase]],
    ['Correct-Horse', [noDigit]],
    ['👍👍👍-A1b', [tooShort]],
    ...(profile === 'B' ? [['CorrectHorse7', noSpecial] as [string, string[]]] : []),
  ])('the weak password %j is answered with every rule it breaks', async (password, messages) => {
    const { status, body, text } = await service().post(REGISTER, { ...newUser('weak'), password })
    expect(status).toBe(422)
    const errors = messages.map((message) => ({
      field: 'password',
      code: expect.stringMatching(/^password_/),
      message,
    }))
    expect(body).toEqual(problem(422, messages[0] ?? '', 'weak_password', REGISTER, errors))
    if (password !== '') expect(text).not.toContain(password)
  })

  if (profile === 'A') {
    test('a password without special character is enough', async () => {
      const answer = await service().post(REGISTER, { ...newUser('plain'), password: 'CorrectHorse7' })
      expect(answer.status).toBe(201)
    })
    test('a password of over 72 bytes is refused, not truncated', async () => {
      const answer = await service().post(REGISTER, { ...newUser('long'), password: `A1-${'é'.repeat(35)}` })
      expect(answer.body).toMatchObject({ status: 422, code: 'weak_password' })
    })
  } else {
    test('a password of over 256 characters is refused', async () => {
      const answer = await service().post(REGISTER, { ...newUser('long'), password: `A1-${'é'.repeat(254)}` })
      expect(answer.body).toMatchObject({ status: 422, code: 'weak_password' })
    })
  }

  const valid = newUser('zebraed')
  test.each([
    ['broken JSON', '{"username":', 400, 'bad_request'],
    ['an empty body', '', 400, 'bad_request'],
    ['__proto__', `{"__proto__":{"is_superuser":true},${JSON.stringify(valid).slice(1)}`, 400, 'bad_request'],
    ['an array', [valid], 422, 'validation_failed'],
    ['a missing field', { username: 'zebraed', password: PASSWORD }, 422, 'validation_failed'],
    ['an unknown field', { ...valid, is_superuser: true }, 422, 'validation_failed'],
    ['an array for a string', { ...valid, username: ['zebraed'] }, 422, 'validation_failed'],
    ['a number for a string', { ...valid, password: 12345678 }, 422, 'validation_failed'],
    ['true for a string', { ...valid, email: true }, 422, 'validation_failed'],
    ['null for a string', { ...valid, username: null }, 422, 'validation_failed'],
    ['a bad email', { ...valid, email: 'not an email' }, 422, 'validation_failed'],
    ['two addresses', { ...valid, email: 'a@example.com,b@example.com' }, 422, 'validation_failed'],
    ['a short username', { ...valid, username: 'ab' }, 422, 'validation_failed'],
    ['a username with an at sign', { ...valid, username: 'a@b.example' }, 422, 'validation_failed'],
    ['a Kelvin sign', { ...valid, username: 'zebra\u212a' }, 422, 'validation_failed'],
    ['a control character', { ...valid, username: 'zebra\ned' }, 422, 'validation_failed'],
    ['a lone surrogate', JSON.stringify(valid).replace('Horse', '\\ud800'), 422, 'validation_failed'],
  ])('%s is refused', async (_what, body, status, code) => {
    const answer = await service().post(REGISTER, body)
    expect(answer.body).toMatchObject({ status, code, instance: REGISTER })
    expect(answer.status).toBe(status)
    if (status === 422) expect(answer.body.errors).not.toHaveLength(0)
    expect(answer.text).not.toMatch(/not an email|Correct-Horse|zebra/)
  })

  test('a body over 16 KiB is 413, another media type 415', async () => {
    const large = await service().post(REGISTER, { ...valid, username: 'x'.repeat(17_000) })
    expect(large.body).toMatchObject({ status: 413 })
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await service().post(REGISTER, 'username=zebraed', form)).body).toMatchObject({ status: 415 })
    const plain = { headers: { 'content-type': 'text/plain' } }
    expect((await service().post(REGISTER, JSON.stringify(valid), plain)).body).toMatchObject({ status: 415 })
  })
}

/** Login, and the access token that it gives. */
export function loginSuite(
  variant: Variant,
  service: () => Service,
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

  test('a wrong password and an unknown user get the same answer', async () => {
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

  test('users/me answers the user of the token', async () => {
    const { id, token } = await loggedIn(service(), 'Reader')
    const { status, body } = await me(token)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(userFields(variant))
    expect(body).toMatchObject({ id, username: 'Reader', email: 'reader@example.com', is_active: true })
  })

  test('without a token: 401 not_authenticated', async () => {
    for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer ' }]) {
      const answer = await service().get(ME, { headers })
      expect(answer.body).toEqual(problem(401, 'Not authenticated', 'not_authenticated', ME))
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('past its lifetime: 401 token_expired', async () => {
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

  test('the same token signed again is taken: the forgeries below fail for what they change', async () => {
    const { token } = await loggedIn(service(), 'Honest')
    expect((await me(signToken(decodeToken(token), secret()))).status).toBe(200)
  })

  type Forgery = [string, (header: object, payload: Record<string, unknown>) => [object, object], string?]
  const forgeries: Forgery[] = [
    ['alg none', (header, payload) => [{ ...header, alg: 'none' }, payload]],
    ['another algorithm', (header, payload) => [{ ...header, alg: 'HS512' }, payload]],
    ['another secret', (header, payload) => [header, payload], 'x'.repeat(43)],
    ['another type', (header, payload) => [{ ...header, typ: 'JWT' }, payload]],
    ['a key of its own', (header, payload) => [{ ...header, jwk: { kty: 'oct', k: 'eA' } }, payload]],
    ['a key elsewhere', (header, payload) => [{ ...header, jku: 'http://127.0.0.1:1/' }, payload]],
    ['an unknown kid', (header, payload) => [{ ...header, kid: '../../dev/null' }, payload]],
    ['no exp', (header, { exp: _, ...payload }) => [header, payload]],
    ...(variant.mode === 'complete'
      ? ([
          ['another session', (header, payload) => [header, { ...payload, sid: 999_999 }]],
          ['no session', (header, { sid: _, ...payload }) => [header, payload]],
          ['a text as session', (header, payload) => [header, { ...payload, sid: `${payload.sid}` }]],
        ] as Forgery[])
      : []),
    ['an absurd exp', (header, payload) => [header, { ...payload, exp: 4e12 }]],
    ['a text as exp', (header, payload) => [header, { ...payload, exp: `${payload.exp}` }]],
    ['an iat to come', (header, payload) => [header, { ...payload, iat: Number(payload.exp) - 60 }]],
    ['another user id', (header, payload) => [header, { ...payload, user_id: 999_999 }]],
    ['a text as user id', (header, payload) => [header, { ...payload, user_id: `${payload.user_id}` }]],
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
  test('a forged token: 401 invalid_token', async () => {
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

/** PUT users/me, and what no client may set. */
export function emailChangeSuite(variant: Variant, service: () => Service): void {
  test('the email changes, in lower case, and login finds the user by it', async () => {
    const { id, token } = await loggedIn(service(), 'mover')
    const changed = await service().put(ME, { email: 'New.Mover@Example.com' }, { token })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ id, email: 'new.mover@example.com', username: 'mover' })
    expect(Object.keys(changed.body).sort()).toEqual(userFields(variant))
    expect((await service().get(ME, { token })).body).toEqual(changed.body)
    const login = (email: string) => service().post(LOGIN, { email, password: PASSWORD })
    expect((await login('new.mover@example.com')).status).toBe(200)
    expect((await login('mover@example.com')).status).toBe(401)
  })

  test('the same email again: 200, and nothing happens', async () => {
    const { token } = await loggedIn(service(), 'stayer')
    const before = await service().get(ME, { token })
    const same = await service().put(ME, { email: 'Stayer@example.com' }, { token })
    expect(same).toMatchObject({ status: 200, body: before.body })
  })

  test("another user's email: 409, and nothing changes", async () => {
    await loggedIn(service(), 'owner')
    const { token } = await loggedIn(service(), 'thief')
    const answer = await service().put(ME, { email: 'OWNER@example.com' }, { token })
    expect(answer.body).toEqual(
      problem(409, 'Email or username already registered', 'already_registered', ME),
    )
    expect((await service().get(ME, { token })).body.email).toBe('thief@example.com')
  })

  test('a wrong current password: 403 invalid_credentials', async () => {
    const { token } = await loggedIn(service(), 'careful')
    const change = (current_password: string) =>
      service().put(ME, { email: 'careful.too@example.com', current_password }, { token })
    expect((await change('Wrong-Horse-7')).body).toEqual(
      problem(403, 'Invalid credentials', 'invalid_credentials', ME),
    )
    expect((await change(PASSWORD)).status).toBe(200)
  })

  test.each([
    ['is_superuser', { is_superuser: true }],
    ['is_active', { is_active: false }],
    ['is_verified', { is_verified: true }],
    ['id', { id: 1 }],
    ['username', { username: 'other' }],
    ['hashed_password', { hashed_password: 'x' }],
  ])('%s cannot be set', async (field, extra) => {
    const { token } = await loggedIn(service(), `setter-${field}`)
    const answer = await service().put(ME, { email: `set-${field}@example.com`, ...extra }, { token })
    expect(answer.body).toMatchObject({ status: 422, code: 'validation_failed' })
    expect((await service().get(ME, { token })).body.email).not.toContain('set-')
  })

  test('without a token: 401', async () => {
    expect((await service().put(ME, { email: 'x@example.com' })).body.code).toBe('not_authenticated')
  })
}
