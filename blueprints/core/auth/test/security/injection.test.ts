import { describe, expect, test } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { bearer, logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

describe('text that looks like SQL', () => {
  test.each([
    "alice' --",
    "' OR '1'='1",
    "alice'; DROP TABLE users; --",
    'alice%',
    'al_ce',
    'alice" OR ""="',
  ])('finds no user: %s', async (text) => {
    const app = await createTestApp()
    await register(app)
    expectProblem(await tryLogIn(app, text, password), 'invalid_credentials')
    expectProblem(await tryLogIn(app, `${text}@example.com`, password), 'invalid_credentials')
    expectProblem(await tryLogIn(app, 'alice', text), 'invalid_credentials')
    expect(await app.db.read.$count(users)).toBe(1)
  })

  test('is stored unchanged if it is a valid email', async () => {
    const app = await createTestApp()
    await register(app)
    const email = "o'--@example.com"
    const body = { username: 'other', email, password }
    expect((await app.inject({ method: 'POST', url: '/api/v1/auth/register', body })).json().email).toBe(
      email,
    )
    expect((await tryLogIn(app, email, password)).statusCode).toBe(200)
  })
})

test.each([
  ['username', 'alice\r\nSet-Cookie: a=b'],
  ['username', 'alice\u0000'],
  ['username', 'alice\ud800'],
  ['email', 'alice@example.com\r\nBcc: everybody@example.com'],
  ['email', 'alice@example.com\u0000.evil.com'],
  ['password', 'Correct-Horse-7\u0000'],
  ['password', 'Correct-Horse-7\n'],
  ['password', 'Correct-Horse-7\udfff'],
])(
  'control characters and lone surrogates are refused in registration and login: %s %j',
  async (field, value) => {
    const app = await createTestApp()
    const alice = { username: 'alice', email: 'alice@example.com', password }
    const registration = { ...alice, [field]: value }
    const login = field === 'password' ? { username: 'alice', password: value } : { [field]: value, password }
    for (const [path, body] of [
      ['register', registration],
      ['login', login],
    ] as const) {
      const payload = JSON.stringify(body)
      const headers = { 'content-type': 'application/json' }
      const response = await app.inject({ method: 'POST', url: `/api/v1/auth/${path}`, headers, payload })
      const { errors } = expectProblem(response, 'validation_failed')
      expect(errors[0]).toMatchObject({ field, code: 'invalid_characters' })
      expect(response.body).not.toMatch(/Set-Cookie|Bcc|evil|Correct/)
    }
  },
)

describe('no coercion', () => {
  test.each([[['alice']], [1], [true], [null], [{ $ne: '' }]])(
    '%j is not accepted as text',
    async (value) => {
      const app = await createTestApp()
      await register(app)
      const headers = bearer(await logIn(app))
      const post = (path: string, body: object) =>
        app.inject({ method: 'POST', url: `/api/v1/auth/${path}`, body })
      for (const response of [
        await post('login', { username: value, password }),
        await post('login', { email: value, password }),
        await post('login', { username: 'alice', password: value }),
        await post('register', { username: value, email: 'b@example.com', password }),
        await post('register', { username: 'bob', email: value, password }),
        await post('register', { username: 'bob', email: 'b@example.com', password: value }),
        await app.inject({ method: 'PUT', url: '/api/v1/users/me', headers, body: { email: value } }),
      ])
        expectProblem(response, 'validation_failed')
    },
  )
})
