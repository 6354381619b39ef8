import { expect, test } from 'vitest'
import { bearer, getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

/** Paths of all routes below /api/v1/auth that accept POST requests without an access token. */
async function openRoutes(app: TestApp): Promise<string[]> {
  const { paths } = (await app.inject({ url: '/openapi.json' })).json<{
    paths: Record<string, { post?: { security: object[] } }>
  }>()
  const needsUser = (security: object[]) =>
    security.length > 0 && security.every((scheme) => 'bearer' in scheme)
  return Object.entries(paths)
    .filter(([path, { post }]) => path.startsWith('/api/v1/auth/') && post && !needsUser(post.security))
    .map(([path]) => path)
}

/** A body that is not JSON: it gets 400 if it is read. */
const send = (app: TestApp, url: string, headers = {}, remoteAddress = '127.0.0.1') =>
  app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { ...headers, 'content-type': 'application/json' },
    payload: '{',
  })

// 300 connections that request password resets made every other request wait for two seconds.
test('all routes without a user share one limit per address and minute, before the body is read', async () => {
  const app = await createTestApp({ RATE_LIMIT_AUTH_REQUESTS: '4' })
  await register(app)
  const token = await logIn(app)
  const routes = await openRoutes(app)
  expect(routes).toContain('/api/v1/auth/register')
  for (let time = 0; time < 2; time += 1) expectProblem(await send(app, '/api/v1/auth/login'), 'bad_request')
  app.clock.advance(20)
  for (const [index, url] of routes.entries()) {
    // A token, valid or not, must not bypass the limit.
    for (const headers of [{}, bearer(token), bearer('x')]) {
      const response = await send(app, url, headers)
      expectProblem(response, 'too_many_requests')
      expect(response.headers['retry-after']).toBe('40')
    }
    expect((await send(app, url, {}, `192.0.2.${index}`)).statusCode).toBeLessThan(429)
  }
  expect((await getMe(app, token)).statusCode).toBe(200)
  app.clock.advance(40)
  expectProblem(await send(app, '/api/v1/auth/login'), 'bad_request')
})

test('RATE_LIMIT_ENABLED=false turns the limit off', async () => {
  const app = await createTestApp({ RATE_LIMIT_AUTH_REQUESTS: '1', RATE_LIMIT_ENABLED: 'false' })
  for (let time = 0; time < 3; time += 1) expectProblem(await send(app, '/api/v1/auth/login'), 'bad_request')
})

/** An app with two limited routes. */
async function limitedApp(env: Record<string, string> = {}) {
  const app = await createTestApp(env)
  for (const [url, name] of [
    ['/posts', 'posts'],
    ['/votes', 'votes'],
  ] as const)
    app.post(url, { onRequest: [app.requireUser, app.userLimit(name, 2)] }, async () => ({}))
  return app
}

const sendAs = (app: TestApp, token: string, url = '/posts', remoteAddress = '192.0.2.1') =>
  app.inject({ method: 'POST', url, remoteAddress, headers: bearer(token) })

// By address only, a user with many addresses, or a stolen token in many places, could fill the database.
test('a user has some requests per hour, from all addresses and with all tokens together', async () => {
  const app = await limitedApp()
  await register(app)
  await register(app, 'bob')
  const bob = await logIn(app, 'bob')
  for (const address of ['192.0.2.1', '192.0.2.2'])
    expect((await sendAs(app, await logIn(app), '/posts', address)).statusCode).toBe(200)

  const refused = await sendAs(app, await logIn(app), '/posts', '192.0.2.3')
  expectProblem(refused, 'too_many_requests')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000)
  expect((await sendAs(app, bob)).statusCode).toBe(200)
  expect((await sendAs(app, await logIn(app), '/votes')).statusCode).toBe(200)

  app.clock.advance(60 * 60)
  expect((await sendAs(app, await logIn(app))).statusCode).toBe(200)
})

test('concurrent requests do not exceed the limit of their user', async () => {
  const app = await limitedApp()
  await register(app)
  const token = await logIn(app)
  const responses = await Promise.all(Array.from({ length: 10 }, () => sendAs(app, token)))
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(2)
})

test('RATE_LIMIT_ENABLED=false turns off the limit of a user, which counts no one without a token', async () => {
  const app = await limitedApp({ RATE_LIMIT_ENABLED: 'false' })
  await register(app)
  const token = await logIn(app)
  for (let time = 0; time < 5; time += 1) expect((await sendAs(app, token)).statusCode).toBe(200)
  expectProblem(await app.inject({ method: 'POST', url: '/posts' }), 'not_authenticated')
})
