import { expect, test } from 'vitest'
import { bearer, logIn, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

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

const send = (app: TestApp, token: string, url = '/posts', remoteAddress = '192.0.2.1') =>
  app.inject({ method: 'POST', url, remoteAddress, headers: bearer(token) })

// By address only, a user with many addresses, or a stolen token in many places, could fill the database.
test('a user has some requests per hour, from all addresses and with all tokens together', async () => {
  const app = await limitedApp()
  await register(app)
  await register(app, 'bob')
  const bob = await logIn(app, 'bob')
  for (const address of ['192.0.2.1', '192.0.2.2'])
    expect((await send(app, await logIn(app), '/posts', address)).statusCode).toBe(200)

  const refused = await send(app, await logIn(app), '/posts', '192.0.2.3')
  expectProblem(refused, 'too_many_requests')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000)
  expect((await send(app, bob)).statusCode).toBe(200)
  expect((await send(app, await logIn(app), '/votes')).statusCode).toBe(200)

  app.clock.advance(60 * 60)
  expect((await send(app, await logIn(app))).statusCode).toBe(200)
})

test('concurrent requests do not exceed it', async () => {
  const app = await limitedApp()
  await register(app)
  const token = await logIn(app)
  const responses = await Promise.all(Array.from({ length: 10 }, () => send(app, token)))
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(2)
})

test('RATE_LIMIT_ENABLED=false turns it off, and it counts no one without a token', async () => {
  const app = await limitedApp({ RATE_LIMIT_ENABLED: 'false' })
  await register(app)
  const token = await logIn(app)
  for (let time = 0; time < 5; time += 1) expect((await send(app, token)).statusCode).toBe(200)
  expectProblem(await app.inject({ method: 'POST', url: '/posts' }), 'not_authenticated')
})
