import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../support/app.ts'
import { openConnection } from '../support/connection.ts'

const page = 'https://app.example.com'

const ask = (app: TestApp, origin: string) => app.inject({ url: '/health/live', headers: { origin } })

const preflight = (app: TestApp, origin: string, method = 'GET', url = '/health/live') =>
  app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    },
  })

test('by default, no page of another origin may read a response', async () => {
  const app = await createTestApp()
  for (const response of [await ask(app, page), await preflight(app, page)])
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
})

test('a listed origin may read a response, without credentials', async () => {
  const app = await createTestApp({ CORS_ORIGINS: `https://other.example.com, ${page}` })
  for (const response of [await ask(app, page), await preflight(app, page)]) {
    expect(response.headers['access-control-allow-origin']).toBe(page)
    expect(response.headers).not.toHaveProperty('access-control-allow-credentials')
    expect(response.headers.vary).toContain('Origin')
  }
})

test('a listed origin may use the methods of the API, and no others', async () => {
  const app = await createTestApp({ CORS_ORIGINS: page })
  const { headers } = await preflight(app, page, 'DELETE')
  expect(headers['access-control-allow-methods']).toMatch(/^GET, HEAD, POST, PUT, DELETE, PATCH$/)
})

test('a listed origin may call every route', async () => {
  const app = await createTestApp({ CORS_ORIGINS: page })
  const { paths } = (await app.inject({ url: '/openapi.json' })).json<{ paths: Record<string, object> }>()
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/\{\w+\}/g, '1')] as const),
  )
  expect(routes.length).toBeGreaterThan(0)
  for (const [method, url] of routes) {
    const { statusCode, headers } = await preflight(app, page, method, url)
    expect(statusCode, url).toBe(204)
    expect(headers['access-control-allow-origin'], url).toBe(page)
    expect(headers['access-control-allow-headers'], url).toBe('authorization,content-type')
    const allowed = String(headers['access-control-allow-methods']).split(', ')
    expect(allowed, `${url}: add ${method} to src/plugins/security-headers.ts`).toContain(method)
  }
})

test.each([
  [404, { url: '/nowhere' }],
  [400, { url: '/body', method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }],
  [413, { url: '/body', method: 'POST', body: { text: 'x'.repeat(20_000) } }],
  [415, { url: '/body', method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'text' }],
] as const)('a page of a listed origin can read what a %i tells', async (status, request) => {
  const app = await createTestApp({ CORS_ORIGINS: page })
  app.post('/body', async () => ({}))
  const headersOf = 'headers' in request ? request.headers : {}
  const { headers, statusCode } = await app.inject({ ...request, headers: { ...headersOf, origin: page } })
  expect(statusCode).toBe(status)
  expect(headers['access-control-allow-origin']).toBe(page)
  expect(headers['access-control-expose-headers']).toBe('retry-after, x-request-id')
})

test.each([
  'https://app.example.com.evil.com',
  'https://evil-app.example.com',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://APP.example.com/',
  'null',
])('an origin that only resembles a listed one may not read a response: %s', async (origin) => {
  const app = await createTestApp({ CORS_ORIGINS: page })
  for (const response of [await ask(app, origin), await preflight(app, origin)])
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
})

test('OPTIONS that asks for nothing is answered without a page', async () => {
  const app = await createTestApp({ CORS_ORIGINS: page })
  const { statusCode, body } = await app.inject({ method: 'OPTIONS', url: '/health/live' })
  expect([statusCode, body]).toEqual([204, ''])
})

// A proxy could apply its rules to one and the service read the other.
test('a preflight request with two hosts is refused', async () => {
  const app = await createTestApp({ CORS_ORIGINS: page })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = await openConnection(app)
  const asked = `Origin: ${page}\r\nAccess-Control-Request-Method: GET\r\n`
  client.send(`OPTIONS /health/live HTTP/1.1\r\nHost: one\r\nHost: other\r\n${asked}\r\n`)
  expect(await client.end()).toMatch(/^HTTP\/1\.1 400 .*"code":"bad_request"/s)
})
