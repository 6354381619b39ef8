import { request } from 'node:http'
import { expect, test } from 'vitest'
import { bearer, changeUser, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { check } from '../support/gateway.ts'

// Registration refuses these. A row that another program wrote may have them.
test.each(['a@example.com\r\nX-User-Superuser: true', 'a\nb', 'ü@example.com', 'a b', 'a@example.com ', ''])(
  'a user with the address %j is let in by no proxy',
  async (email) => {
    const app = await createTestApp()
    const { id } = await register(app)
    const token = await logIn(app)
    await changeUser(app, id, { email })
    const response = await check(app, bearer(token))
    expect([response.statusCode, response.body]).toEqual([401, ''])
    expect(response.headers).not.toHaveProperty('x-user-superuser')
    expect(response.headers).not.toHaveProperty('x-user-id')
  },
)

test('what a client sends is not sent back', async () => {
  const app = await createTestApp()
  await register(app)
  const sent = { 'x-user-id': '99', 'x-username': 'root', 'x-user-superuser': 'true', 'x-token-expires': '1' }
  const anonymous = await check(app, sent)
  const alice = await check(app, { ...sent, ...bearer(await logIn(app)) })
  for (const name of Object.keys(sent)) expect(anonymous.headers).not.toHaveProperty(name)
  expect(alice.headers).toMatchObject({ 'x-user-id': '1', 'x-username': 'alice' })
  expect(alice.headers['x-user-superuser'] ?? 'false').toBe('false')
})

// Each server reads another one: a proxy would check the token of one user, and the service would act for another.
test('two credentials are refused, because the service behind the proxy may read the other one', async () => {
  const app = await createTestApp()
  await register(app)
  const token = await logIn(app)
  const origin = await app.listen({ port: 0 })
  const statusOf = (lines: string[]) =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${origin}/api/v1/auth/check`,
        { headers: [...lines.flatMap((line) => ['authorization', line]), 'host', 'localhost'] },
        (response) => resolve(response.resume().statusCode),
      )
      sent.once('error', reject).end()
    })
  expect(await statusOf([`Bearer ${token}`])).toBe(204)
  expect(await statusOf([`Bearer ${token}`, 'Bearer x'])).toBe(401)
  expect(await statusOf(['Bearer x', `Bearer ${token}`])).toBe(401)
})
