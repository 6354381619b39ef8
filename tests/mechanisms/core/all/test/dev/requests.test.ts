import { expect, test } from 'vitest'
import { z } from 'zod'
import { logRequests } from '../../dev/requests.ts'
import { ApiError } from '../../src/errors/api-error.ts'
import { createDevelopmentApp } from '../support/development.ts'

const secret = 'Top-Secret-4711'

/** Sends a request to a service in development. Returns its log without times. */
async function logOf(method: 'GET' | 'POST', url: string, body?: object) {
  const { app, entries } = await createDevelopmentApp(logRequests)
  const schema = { body: z.strictObject({ email: z.string(), password: z.string().max(3) }) }
  app.post('/demo', { schema }, async (request) => {
    request.log.info('from the route')
    return {}
  })
  app.get('/demo/broken', async () => {
    throw new ApiError('internal_error')
  })
  await app.inject({ method, url, ...(body && { body }) })
  return entries.map(({ level, msg }) => [level, msg.replace(/\d+ ms/, '0 ms')])
}

test('a request is one line, after what the route logs', async () => {
  expect(await logOf('POST', '/demo', { email: 'a', password: 'b' })).toEqual([
    [30, 'from the route'],
    [30, 'POST /demo 200 0 ms'],
  ])
})

test('a 4xx is a warning with its code, and without the query', async () => {
  expect(await logOf('GET', `/nowhere?token=${secret}`)).toEqual([[40, 'GET /nowhere 404 0 ms not_found']])
})

test('a 422 names the fields, but neither values nor names that a client chose', async () => {
  expect(await logOf('POST', '/demo', { email: 1, password: secret, [secret]: secret })).toEqual([
    [40, 'POST /demo 422 0 ms validation_failed: email, password, unknown_field'],
  ])
})

test('a 5xx is an error', async () => {
  expect(await logOf('GET', '/demo/broken')).toEqual([[50, 'GET /demo/broken 500 0 ms internal_error']])
})

test('a slash at the end is no warning, but the line says so', async () => {
  expect(await logOf('GET', '/health/live/')).toEqual([
    [30, 'GET /health/live/ 404 0 ms not_found (try it without the last slash)'],
  ])
})

test.each([
  ['/assets/own.css', 20],
  ['/docs/static/own.css', 20],
  ['/dev/mailbox/own.js', 20],
  ['/own', 30],
  ['/dev/mailbox/own', 30],
])('a file of a page is logged at debug, the page at info: %s', async (url, level) => {
  const { app, entries } = await createDevelopmentApp(logRequests, {}, 'debug')
  app.get(url, async () => 'found')
  await app.inject({ url })
  expect(entries.find(({ msg }) => msg.startsWith(`GET ${url} 200`))?.level).toBe(level)
})

test.each([
  ['info', []],
  ['debug', [[20, 'GET /health/live 200 0 ms']]],
] as const)('with LOG_LEVEL=%s, the requests for health checks are %j', async (level, lines) => {
  const { app, entries } = await createDevelopmentApp(logRequests, {}, level)
  await app.inject({ url: '/health/live' })
  const shown = entries.map(({ level, msg }) => [level, msg.replace(/\d+ ms/, '0 ms')])
  expect(shown.filter(([, msg]) => /health|^request$/.test(String(msg)))).toEqual(lines)
})

test('a missing file of a page is a warning', async () => {
  expect(await logOf('GET', '/assets/none.css')).toEqual([[40, 'GET /assets/none.css 404 0 ms not_found']])
})

test.each([
  '/favicon.ico',
  '/apple-touch-icon-precomposed.png',
  '/.well-known/appspecific/com.chrome.devtools.json',
])('what browsers ask for on their own is not logged: %s', async (url) => {
  expect(await logOf('GET', url)).toEqual([])
})
