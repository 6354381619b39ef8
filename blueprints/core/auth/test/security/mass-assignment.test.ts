import { expect, test } from 'vitest'
import { logIn, password, putMe, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const alice = { email: 'alice@example.com', username: 'alice', password }

const fields: object[] = [
  { id: 4711 },
  { is_superuser: true },
  { isSuperuser: true },
  { is_active: false },
  { is_verified: true },
  { hashed_password: 'x' },
  { created_at: '2000-01-01T00:00:00Z' },
  { tokens_valid_from: 0 },
  { role: 'admin' },
  { constructor: 'x' },
  { toString: 'x' },
]

test.each(fields)('registration refuses %j', async (field) => {
  const app = await createTestApp()
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    body: { ...alice, ...field },
  })
  const { errors } = expectProblem(response, 'validation_failed')
  expect(errors).toEqual([{ field: '', code: 'unknown_field', message: 'Unknown field' }])
  expect((await register(app)).id).toBe(1)
})

test('a login refuses unknown fields', async () => {
  const app = await createTestApp()
  const body = { username: 'alice', password, role: 'admin' }
  const response = await app.inject({ method: 'POST', url: '/api/v1/auth/login', body })
  expectProblem(response, 'validation_failed')
})

test.each([...fields, { username: 'mallory' }, { password: 'New-Horse-7' }])(
  'PUT /users/me refuses %j',
  async (field) => {
    const app = await createTestApp()
    const { id } = await register(app)
    const token = await logIn(app)
    const before = await readUser(app, id)
    const response = await putMe(app, token, { email: 'new@example.com', ...field })
    expectProblem(response, 'validation_failed')
    expect(await readUser(app, id)).toEqual(before)
  },
)

test.each([
  '{"email":"a@example.com","username":"alice","password":"x","__proto__":{"is_active":false}}',
  '{"email":"a@example.com","username":"alice","password":"x","\\u005f_proto__":{"is_active":false}}',
  '{"email":"a@example.com","username":"alice","password":"x","constructor":{"prototype":{"is_active":false}}}',
])('a body that names the prototype is refused: %s', async (payload) => {
  const app = await createTestApp()
  const headers = { 'content-type': 'application/json' }
  expectProblem(
    await app.inject({ method: 'POST', url: '/api/v1/auth/register', headers, payload }),
    'bad_request',
  )
  expect({}).not.toHaveProperty('is_active')
})
