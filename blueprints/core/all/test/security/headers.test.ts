import { beforeAll, expect, test } from 'vitest'
import { shareTestApp } from '../support/app.ts'

const app = await shareTestApp()

beforeAll(() => {
  app.get('/broken', async () => {
    throw new Error('broken')
  })
})

test.each([
  ['a success', '/health/live'],
  ['a 404', '/nowhere'],
  ['a URL that cannot be decoded', '/%zz'],
  ['a 500', '/broken'],
])('%s must not be cached or read as another type', async (_case, url) => {
  const { headers } = await app.inject({ url })
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  expect(headers).not.toHaveProperty('x-powered-by')
  expect(headers).not.toHaveProperty('server')
})

test.each(['/health/live', '/nowhere', '/broken'])(
  '%s restricts what a browser does with it',
  async (url) => {
    const { headers } = await app.inject({ url })
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000',
    })
  },
)

test('a client cannot choose the request id', async () => {
  const { headers } = await app.inject({
    url: '/health/live',
    headers: { 'x-request-id': 'forged', 'request-id': 'forged' },
  })
  expect(headers['x-request-id']).not.toBe('forged')
})
