import { describe, expect, test } from 'vitest'
import home from '../../dev/home/routes.ts'
import { createTestApp, shareTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const proxy = '192.0.2.1'
const app = await shareTestApp({ TRUST_PROXY: `${proxy},127.0.0.1` }, false, { plugins: [home] })

// A route of your own for / comes first.
const root = app.hasRoute({ method: 'GET', url: '/' }) ? [] : ['/']
const urls = [...root, '/dev/home.css', '/dev/home.js', '/dev/home.json']

// A setting is easily wrong, so none turns it on: only dev/server.ts passes it to buildApp.
test.each(['production', 'development', 'test'])(
  'with NODE_ENV=%s, the service itself has no page for development',
  async (NODE_ENV) => {
    const service = await createTestApp({ NODE_ENV })
    for (const url of [...urls, '/dev/mailbox', '/dev/mailbox/messages'])
      expectProblem(await service.inject({ url, headers: { host: 'localhost' } }), 'not_found')
    expect(service.printRoutes({ commonPrefix: false })).not.toContain('dev/')
  },
)

describe('the home page', () => {
  test.each([
    ['127.0.0.1', 'localhost:3000'],
    ['127.8.8.8', 'LOCALHOST'],
    ['::1', '[::1]:3000'],
    ['::ffff:127.0.0.1', 'my-api.localhost:3000'],
  ])('answers to %s that asks for %s', async (remoteAddress, host) => {
    for (const url of urls)
      expect((await app.inject({ url, remoteAddress, headers: { host } })).statusCode).toBe(200)
  })

  // It shows settings. Another site could also point its name at 127.0.0.1 and read them (DNS rebinding).
  test.each([
    ['192.0.2.66', { host: 'localhost:3000' }],
    ['::ffff:192.0.2.66', { host: 'localhost:3000' }],
    [proxy, { host: 'localhost', 'x-forwarded-for': '127.0.0.1' }],
    ['127.0.0.1', { host: 'mallory.example:3000' }],
    ['127.0.0.1', { host: 'localhost.mallory.example' }],
    ['127.0.0.1', { host: 'localhost:3000', 'x-forwarded-for': '' }],
    ['127.0.0.1', { host: 'localhost:3000', 'x-forwarded-proto': 'https' }],
    ['127.0.0.1', { host: 'localhost:3000', 'x-forwarded-host': 'localhost' }],
    ['127.0.0.1', { host: 'localhost:3000', forwarded: 'for=127.0.0.1' }],
    ['127.0.0.1', { host: 'localhost:3000', 'x-real-ip': '127.0.0.1' }],
    ['127.0.0.1', { host: 'localhost:3000', via: '1.1 proxy' }],
    ['127.0.0.1', { host: 'localhost:3000', 'cf-connecting-ip': '203.0.113.9' }],
  ])('does not exist for %s with %j', async (remoteAddress, headers) => {
    for (const url of urls) expectProblem(await app.inject({ url, remoteAddress, headers }), 'not_found')
  })

  test('shows no password of a setting', async () => {
    const { body } = await app.inject({ url: '/dev/home.json' })
    expect(body).not.toContain('DATABASE_URL')
  })
})
