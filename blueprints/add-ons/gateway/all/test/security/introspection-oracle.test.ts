import { expect, test } from 'vitest'
import { comparable, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { basic, introspect, introspectionClient } from '../support/gateway.ts'
import { expectProblem } from '../support/problem.ts'

async function withClients(env = {}) {
  const scratch = await createTestApp()
  const [orders, jobs] = [await introspectionClient(scratch), await introspectionClient(scratch, 'jobs')]
  const app = await createTestApp({
    INTROSPECTION_CLIENTS: `${orders.setting},${jobs.setting}`,
    ...env,
  })
  await register(app)
  return { app, token: await logIn(app), orders: orders.secret, jobs: jobs.secret }
}

test('without credentials nobody learns about a token, and every refusal is the same', async () => {
  const { app, token, orders, jobs } = await withClients()
  const answers = await Promise.all(
    [
      {},
      basic('nobody', orders),
      basic('orders', jobs),
      basic('orders', `${orders}x`),
      basic('orders', orders.slice(1)),
      basic('ORDERS', orders),
      basic('', orders),
      basic('orders', ''),
      { authorization: `Bearer ${token}` },
      { authorization: `Basic ${orders}` },
    ].map((headers) => introspect(app, { token }, headers)),
  )
  const [first, ...others] = answers.map(comparable)
  expect(first).toMatchObject({ statusCode: 401, body: expect.stringContaining('"error":"invalid_client"') })
  expect(first?.headers['www-authenticate']).toMatch(/^Basic /)
  for (const other of others) expect(other).toEqual(first)
})

test('without the setting there are no clients', async () => {
  const app = await createTestApp()
  const { secret } = await introspectionClient(app)
  for (const name of ['orders', '', 'undefined'])
    expect((await introspect(app, { token: 'x' }, basic(name, secret))).statusCode).toBe(401)
})

test('guesses are limited, and harm no client that knows its secret', async () => {
  const { app, token, orders } = await withClients({ RATE_LIMIT_INTROSPECTION_FAILURES: '3' })
  const statuses: number[] = []
  for (let time = 0; time < 5; time += 1)
    statuses.push((await introspect(app, { token }, basic('orders', String(time)))).statusCode)
  expect(statuses).toEqual([401, 401, 401, 429, 429])
  expectProblem(await introspect(app, { token }, basic('orders', 'x')), 'too_many_requests')
  // A proxy asks once for each of its requests, all from one address.
  expect((await introspect(app, { token }, basic('orders', orders))).json().active).toBe(true)
})

test('a client that asks often is not limited', async () => {
  const { app, token, orders } = await withClients({ RATE_LIMIT_AUTH_REQUESTS: '2' })
  for (let time = 0; time < 5; time += 1)
    expect((await introspect(app, { token }, basic('orders', orders))).statusCode).toBe(200)
})
