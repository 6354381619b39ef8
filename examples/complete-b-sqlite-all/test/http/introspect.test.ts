import { expect, test } from 'vitest'
import { endAccess } from '../../src/accounts/end-access.ts'
import { changeUser, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { takeApart } from '../support/forge.ts'
import { basic, introspect, introspectionClient } from '../support/gateway.ts'
import { expectProblem } from '../support/problem.ts'

/** An app with one client, and its credentials. */
async function withClient(env = {}) {
  const { secret, setting } = await introspectionClient(await createTestApp())
  const app = await createTestApp({ INTROSPECTION_CLIENTS: setting, ...env })
  const { id } = await register(app)
  const headers = basic('orders', secret)
  const ask = (token: string, more = {}) => introspect(app, { token, ...more }, headers)
  return { app, id, headers, secret, ask }
}

test('a live token is active, with whose it is', async () => {
  const { app, id, ask } = await withClient()
  const token = await logIn(app)
  const { iat, exp } = takeApart(token).payload
  const response = await ask(token)
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toMatch(/^application\/json/)
  expect(response.json()).toEqual({
    active: true,
    sub: 'alice',
    username: 'alice',
    user_id: id,
    client_id: expect.any(String),
    token_type: 'bearer',
    iat,
    exp,
  })
  for (const hint of ['access_token', 'refresh_token', 'other'])
    expect((await ask(token, { token_type_hint: hint })).json().active).toBe(true)
})

test('anything else is not active, without a reason', async () => {
  const { app, id, ask } = await withClient()
  const token = await logIn(app)
  const isInactive = async (text = token) => expect((await ask(text)).json()).toEqual({ active: false })
  for (const text of ['x', 'a.b.c', `${token}x`, ` ${token}`, token.toUpperCase(), 'x'.repeat(10_000)])
    await isInactive(text)
  await changeUser(app, id, { isActive: false })
  await isInactive()
  await changeUser(app, id, { isActive: true })
  expect((await ask(token)).json().active).toBe(true)
  await app.db.transaction((tx) => endAccess(app.ctx, tx, id))
  await isInactive()
  app.clock.advance(24 * 60 * 60)
  await isInactive()
})

test('a database failure is an error, and not the end of every session', async () => {
  const { app, ask } = await withClient()
  const token = await logIn(app)
  await app.db.close()
  expect((await ask(token)).statusCode).toBeGreaterThanOrEqual(500)
})

test.each([
  ['no token', {}],
  ['an empty token', { token: '' }],
  ['a control character', { token: 'a\0' }],
])('%s: 400 invalid_request', async (_case, fields) => {
  const { app, headers } = await withClient()
  const response = await introspect(app, fields as Record<string, string>, headers)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toEqual({ error: 'invalid_request', error_description: expect.any(String) })
})

test('a repeated token: 400, because a proxy could check the other one', async () => {
  const { app, headers } = await withClient()
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/auth/introspect',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'token=a&token=b',
  })
  expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_request'])
})

test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=a'])(
  'the media type %s: 415',
  async (type) => {
    const { app, headers } = await withClient()
    const response = await app.inject({
      method: 'POST',
      url: '/api/v1/auth/introspect',
      headers: { ...headers, 'content-type': type },
      payload: '{"token":"x"}',
    })
    expectProblem(response, 'unsupported_media_type')
  },
)

test('a client may have two secrets, and several clients are separated by commas', async () => {
  const scratch = await createTestApp()
  const all = [
    ['orders', await introspectionClient(scratch)],
    ['orders', await introspectionClient(scratch)],
    ['jobs', await introspectionClient(scratch, 'jobs')],
  ] as const
  const app = await createTestApp({
    INTROSPECTION_CLIENTS: all.map(([, { setting }]) => setting).join(', '),
  })
  for (const [name, { secret }] of all)
    expect((await introspect(app, { token: 'x' }, basic(name, secret))).statusCode).toBe(200)
})

test('the setting has no $, which Docker Compose and shells would replace', async () => {
  const { setting } = await introspectionClient(await createTestApp())
  expect(setting).toMatch(/^orders:[\w-]{43}$/)
})

test.each(['a b', '', 'a:b', 'a,b'])('the name %j is refused', async (name) => {
  await expect(introspectionClient(await createTestApp(), name)).rejects.toMatchObject({ exitCode: 1 })
})

test.each(['orders', 'orders:short', 'orders:secret$', ':x'])(
  'INTROSPECTION_CLIENTS=%s does not start',
  async (value) => {
    await expect(createTestApp({ INTROSPECTION_CLIENTS: value })).rejects.toThrow(
      'INTROSPECTION_CLIENTS must be',
    )
  },
)
