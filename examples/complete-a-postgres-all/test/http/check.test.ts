import { expect, test } from 'vitest'
import { endAccess } from '../../src/accounts/end-access.ts'
import { bearer, changeUser, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { takeApart } from '../support/forge.ts'
import { check } from '../support/gateway.ts'

const own = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^x-(user|token)/.test(name)))

test.each(['GET', 'HEAD'] as const)(
  '%s: a live token is 204, and headers say whose it is',
  async (method) => {
    const app = await createTestApp()
    const { id } = await register(app)
    const token = await logIn(app)
    const response = await check(app, bearer(token), method)
    expect([response.statusCode, response.body]).toEqual([204, ''])
    expect(own(response.headers)).toEqual({
      'x-user-id': String(id),
      'x-username': 'alice',
      'x-user-email': 'alice@example.com',
      'x-user-verified': 'false',
      'x-token-expires': String(takeApart(token).payload.exp),
    })
  },
)

test.each(['GET', 'HEAD'] as const)('%s: anything else is 401 without a body', async (method) => {
  const app = await createTestApp()
  await register(app)
  const token = await logIn(app)
  for (const headers of [
    {},
    bearer('x'),
    bearer(`${token}x`),
    { authorization: token },
    { authorization: 'Basic eDp5' },
    { 'x-user-id': '1' },
  ]) {
    const response = await check(app, headers, method)
    expect([response.statusCode, response.body]).toEqual([401, ''])
    expect(own(response.headers)).toEqual({})
    expect(response.headers['content-length'] ?? '0').toBe('0')
    // Only for a bad token (RFC 6750 section 3.1).
    const isBad = 'authorization' in headers && headers.authorization.startsWith('Bearer ')
    expect(response.headers['www-authenticate']).toBe(isBad ? 'Bearer error="invalid_token"' : 'Bearer')
  }
  app.clock.advance(24 * 60 * 60)
  expect((await check(app, bearer(token), method)).statusCode).toBe(401)
})

test('the OpenAPI document has both methods', async () => {
  const app = await createTestApp()
  const { paths } = (await app.inject({ url: '/openapi.json' })).json()
  expect(Object.keys(paths['/api/v1/auth/check'])).toEqual(['get', 'head'])
})

test('a revocation and a changed flag take effect at once', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const token = await logIn(app)
  await changeUser(app, id, { email: 'new@example.com' })
  expect((await check(app, bearer(token))).headers['x-user-email']).toBe('new@example.com')
  await changeUser(app, id, { isActive: false })
  expect((await check(app, bearer(token))).statusCode).toBe(401)
  await changeUser(app, id, { isActive: true })
  expect((await check(app, bearer(token))).statusCode).toBe(204)
  await app.db.transaction((tx) => endAccess(app.ctx, tx, id))
  expect((await check(app, bearer(token))).statusCode).toBe(401)
})
