import { expect, test } from 'vitest'
import { bearer, getMe, logIn, putMe, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { sign, takeApart } from '../support/forge.ts'
import { expectProblem } from '../support/problem.ts'
import { addOrders, clients, clientToken, createClient, rotate } from '../support/service-clients.ts'

async function withClient(addRoutes: (app: TestApp) => unknown = () => {}) {
  const app = await createTestApp()
  addRoutes(app)
  const getOrders = addOrders(app)
  const secret = await createClient(app)
  return { app, getOrders, secret, token: await clientToken(app, secret) }
}

test('no route of users lets a client in', async () => {
  const { app, token } = await withClient((it) =>
    it.get('/optional', { onRequest: it.loadUser }, async (request) => ({ user: request.optionalUser })),
  )
  expectProblem(await getMe(app, token), 'invalid_token')
  expectProblem(await putMe(app, token, { email: 'a@example.com' }), 'invalid_token')
  const optional = await app.inject({ url: '/optional', headers: bearer(token) })
  expect(optional.json()).toEqual({ user: null })
})

test('no route of clients lets a user in, whatever their name', async () => {
  const { app, getOrders } = await withClient()
  await register(app)
  expectProblem(await getOrders(await logIn(app)), 'invalid_token')
})

// A restored backup may have a user of this name.
test('a token that names a client and a user is no client', async () => {
  const { app, getOrders, token } = await withClient()
  await register(app)
  const { header, payload } = takeApart(token)
  const both = { ...takeApart(await logIn(app)).payload, ...payload }
  expectProblem(await getOrders(sign(header, both, app.config.accessTokens.secret)), 'invalid_token')
})

test.each([
  [{ sub: 'other' }],
  [{ client_id: 'other' }],
  [{ client_id: undefined }],
  [{ client_id: ['orders'], sub: ['orders'] }],
  [{ scope: undefined }],
  [{ scope: ['orders:read'] }],
  [{ sub: 'nobody', client_id: 'nobody' }],
  [{ sub: 'Orders', client_id: 'Orders' }],
  [{ sub: 'a\0', client_id: 'a\0' }],
  [{ aud: 'other-service' }],
  [{ user_id: 1 }],
  [{ user_id: null }],
])('a signed token with %j is refused', async (change) => {
  const { app, getOrders, token } = await withClient()
  const { header, payload } = takeApart(token)
  const { secret } = app.config.accessTokens
  expect((await getOrders(sign(header, payload, secret))).statusCode).toBe(200)
  expectProblem(await getOrders(sign(header, { ...payload, ...change }, secret)), 'invalid_token')
})

test('a changed scope breaks the signature', async () => {
  const { getOrders, token } = await withClient()
  const { payload, parts } = takeApart(token)
  const wider = Buffer.from(JSON.stringify({ ...payload, scope: 'admin' })).toString('base64url')
  expectProblem(await getOrders([parts[0], wider, parts[2]].join('.')), 'invalid_token')
})

test.each(['orders:readonly', 'orders', 'orders:write', 'ORDERS:READ', ''])(
  'a client with the scope "%s" does not have orders:read',
  async (scope) => {
    const app = await createTestApp()
    const getOrders = addOrders(app)
    const response = await getOrders(await clientToken(app, await createClient(app, 'orders', scope)))
    expectProblem(response, 'insufficient_scope')
    expect(response.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"')
  },
)

test('a route that requires two scopes needs both', async () => {
  const { app } = await withClient((it) =>
    it.get('/both', { onRequest: it.requireClient('a', 'b') }, async () => ({})),
  )
  for (const [name, scope, status] of [
    ['one', 'a', 403],
    ['two', 'b a', 200],
  ] as const) {
    const token = await clientToken(app, await createClient(app, name, scope), name)
    expect((await app.inject({ url: '/both', headers: bearer(token) })).statusCode).toBe(status)
  }
})

test('no token, and an expired one', async () => {
  const { app, getOrders, token } = await withClient()
  expectProblem(await getOrders(), 'not_authenticated')
  app.clock.advance(15 * 60 - 1)
  expect((await getOrders(token)).statusCode).toBe(200)
  app.clock.advance(1)
  expectProblem(await getOrders(token), 'token_expired')
})

test('a revocation ends secrets and tokens at once, on every instance', async () => {
  const { app, getOrders, secret, token } = await withClient()
  const second = await createTestApp({}, false, { db: app.db })
  const getFromSecond = addOrders(second)
  const newer = await rotate(app)
  expect([(await getOrders(token)).statusCode, (await getFromSecond(token)).statusCode]).toEqual([200, 200])
  await clients(app, 'revoke', 'orders')
  expectProblem(await getOrders(token), 'invalid_token')
  expectProblem(await getFromSecond(token), 'invalid_token')
  for (const each of [secret, newer])
    await expect(clientToken(second, each)).rejects.toThrow('invalid_client')
})

test('a route without the guard throws instead of serving anybody', async () => {
  const app = await createTestApp()
  app.get('/open', async (request) => ({ for: request.serviceClient.name }))
  expect((await app.inject({ url: '/open' })).statusCode).toBe(500)
})
