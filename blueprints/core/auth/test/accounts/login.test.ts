import { expect, test } from 'vitest'
import { getMe, logIn, password, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

test('login returns an access token that is accepted by protected routes', async () => {
  const app = await createTestApp()
  const { id } = await register(app)

  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    body: { username: 'alice', password },
  })

  expect(response.statusCode).toBe(200)
  expect(response.json()).toMatchObject({ token_type: 'bearer', access_token: expect.any(String) })
  const me = await getMe(app, response.json().access_token)
  expect(me.json().id).toBe(id)
})

test.each([{ username: 'ALICE' }, { username: 'Alice@Example.com' }, { email: 'alice@example.com' }])(
  'the user is found by %o',
  async (name) => {
    const app = await createTestApp()
    await register(app)
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      body: { ...name, password },
    })
    expect(response.statusCode).toBe(200)
  },
)

test.each([{}, { username: 'alice', email: 'alice@example.com' }])(
  'a login must have exactly one of username and email: %o is refused',
  async (names) => {
    const app = await createTestApp()
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      body: { ...names, password },
    })
    expect(response.statusCode).toBe(422)
    expect(response.json().errors).toEqual([
      { field: 'username', code: 'username_or_email', message: 'Send either username or email' },
    ])
  },
)

test('a wrong password is refused', async () => {
  const app = await createTestApp()
  await register(app)
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    body: { username: 'alice', password: 'Wrong-Horse-7' },
  })
  expect(response.statusCode).toBe(401)
  expect(response.headers['www-authenticate']).toBe('Bearer')
  expect(response.json()).toMatchObject({ title: 'Invalid credentials', code: 'invalid_credentials' })
})

test('the access token expires after the configured lifetime', async () => {
  const app = await createTestApp()
  await register(app)
  const token = await logIn(app)
  app.clock.advance(30 * 60 - 2)
  expect((await getMe(app, token)).statusCode).toBe(200)
  app.clock.advance(2)
  const expired = await getMe(app, token)
  expect(expired.statusCode).toBe(401)
  expect(expired.json()).toMatchObject({ title: 'Token expired', code: 'token_expired' })
})
