import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../support/app.ts'

const page = 'https://app.example.com'

const ask = (app: TestApp, origin: string) => app.inject({ url: '/health/live', headers: { origin } })

const preflight = (app: TestApp, origin: string, method = 'GET') =>
  app.inject({
    method: 'OPTIONS',
    url: '/health/live',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
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
  expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, DELETE')
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
