import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { shareTestApp } from '../support/app.ts'
import { takeApart } from '../support/forge.ts'
import { expectProblem } from '../support/problem.ts'
import { addOrders, basic, createClient, postForm } from '../support/service-clients.ts'

const app = await shareTestApp({ RATE_LIMIT_ENABLED: 'false' })
const getOrders = addOrders(app)
const secret = await createClient(app)
const grant = 'grant_type=client_credentials'
const headers = basic('orders', secret)

const postJson = (body: object, own = {}) =>
  app.inject({ method: 'POST', url: '/api/v1/auth/token', headers: own, body })

/** Checks that a response is an error of RFC 6749 section 5.2. */
function expectError(response: LightMyRequestResponse, error: string, status = 400) {
  expect(response.json()).toEqual({ error, error_description: expect.any(String) })
  expect(response.statusCode).toBe(status)
  expect(response.headers['content-type']).toMatch(/^application\/json/)
  expect(response.headers['cache-control']).toBe('no-store')
  if (status === 401) expect(response.headers['www-authenticate']).toMatch(/^Basic /)
}

test('a client gets an access token with its scopes, for 15 minutes', async () => {
  const response = await postForm(app, grant, headers)
  expect(response.json()).toEqual({
    access_token: expect.any(String),
    token_type: 'bearer',
    expires_in: 900,
    scope: 'orders:read orders:write',
  })
  expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
  const { header, payload } = takeApart(response.json().access_token)
  expect(header).toMatchObject({ typ: 'at+jwt' })
  expect(payload).toMatchObject({ sub: 'orders', client_id: 'orders', scope: 'orders:read orders:write' })
  expect(payload).not.toHaveProperty('user_id')
  expect(payload.exp - payload.iat).toBe(900)
  expect((await getOrders(response.json().access_token)).json()).toEqual({ for: 'orders' })
})

test.each([
  ['form, header', () => postForm(app, grant, headers)],
  ['form, body', () => postForm(app, `${grant}&client_id=orders&client_secret=${secret}`)],
  ['form, header and the same client_id', () => postForm(app, `${grant}&client_id=orders`, headers)],
  ['JSON, header', () => postJson({ grant_type: 'client_credentials' }, headers)],
  [
    'JSON, body',
    () => postJson({ grant_type: 'client_credentials', client_id: 'orders', client_secret: secret }),
  ],
  // As oauth4webapi encodes them (section 2.3.1).
  [
    'a header that is form-encoded',
    () => postForm(app, grant, basic('%6Frders', secret.replaceAll('_', '%5F').replaceAll('-', '%2D'))),
  ],
  ['an empty field, which counts as missing', () => postForm(app, `${grant}&scope=&client_secret=`, headers)],
  ['an unknown field', () => postForm(app, `${grant}&resource=x`, headers)],
  [
    'a charset',
    () =>
      postForm(app, grant, {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      }),
  ],
])('%s is accepted', async (_case, send) => {
  expect((await send()).statusCode).toBe(200)
})

test.each([
  ['orders:read', 'orders:read'],
  ['orders:write%20orders:read%20orders:write', 'orders:write orders:read'],
])('the scope %s', async (asked, given) => {
  const response = await postForm(app, `${grant}&scope=${asked}`, headers)
  expect(response.json().scope).toBe(given)
  expect(takeApart(response.json().access_token).payload.scope).toBe(given)
})

test.each([
  ['no grant', 'scope=a', 'invalid_request'],
  ['another grant', 'grant_type=password&username=a&password=b', 'unsupported_grant_type'],
  ['a repeated field', `${grant}&scope=orders:read&scope=orders:write`, 'invalid_request'],
  ['a secret in the header and the body', `${grant}&client_secret=${secret}`, 'invalid_request'],
  ['two clients', `${grant}&client_id=other`, 'invalid_request'],
  ['a control character', `${grant}&scope=a%00`, 'invalid_request'],
  ['a scope that the client does not have', `${grant}&scope=orders:read%20admin`, 'invalid_scope'],
  ['a malformed scope', `${grant}&scope=%22`, 'invalid_scope'],
])('%s is refused as RFC 6749 says', async (_case, body, error) => {
  expectError(await postForm(app, body, headers), error)
})

test.each([
  ['null', 'null'],
  ['broken JSON', '{'],
  ['nothing', ''],
  ['a number as a field', '{"grant_type":1}'],
  ['a prototype', '{"__proto__":{}}'],
])('JSON with %s is refused as RFC 6749 says', async (_case, payload) => {
  const type = { 'content-type': 'application/json' }
  expectError(
    await app.inject({
      method: 'POST',
      url: '/api/v1/auth/token',
      headers: { ...headers, ...type },
      payload,
    }),
    'invalid_request',
  )
})

test.each([
  ['no credentials', {}],
  ['an unknown client', basic('nobody', secret)],
  ['a wrong secret', basic('orders', secret.replace('svc_', 'svc-'))],
  ['another spelling of the name', basic('Orders', secret)],
  ['no secret', basic('orders', '')],
  ['no base64', { authorization: 'Basic ???' }],
  ['another scheme', { authorization: `Bearer ${secret}` }],
  ['a name that no text column can have', basic('a\0', secret)],
])('%s: 401 invalid_client', async (_case, given) => {
  expectError(await postForm(app, grant, given), 'invalid_client', 401)
})

test.each(['text/plain', 'multipart/form-data; boundary=a', 'application/xml', 'application/jwt'])(
  'the media type %s: 415',
  async (type) => {
    expectProblem(await postForm(app, grant, { ...headers, 'content-type': type }), 'unsupported_media_type')
  },
)

test('a body of more than 16 KiB: 413', async () => {
  expectProblem(await postForm(app, `${grant}&x=${'x'.repeat(17_000)}`, headers), 'payload_too_large')
})
