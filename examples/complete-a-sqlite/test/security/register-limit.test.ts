import { expect, test } from 'vitest'
import { createMemoryCounts } from '../../src/limits/address-limit.ts'
import { password } from '../support/accounts.ts'
import { createClock, createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const send = (app: TestApp, number: number, remoteAddress = '192.0.2.1') =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    remoteAddress,
    body: { username: `user${number}`, email: `user${number}@example.com`, password },
  })

test('registrations are limited per address and minute, and other addresses are not affected', async () => {
  const app = await createTestApp({ RATE_LIMIT_REGISTER: '2' })
  expect((await send(app, 1)).statusCode).toBe(201)
  expect((await send(app, 2)).statusCode).toBe(201)
  const refused = await send(app, 3)
  expectProblem(refused, 'too_many_requests')
  expect(refused.headers['retry-after']).toBe('60')
  expect((await send(app, 3, '192.0.2.2')).statusCode).toBe(201)
  app.clock.advance(60)
  expect((await send(app, 4)).statusCode).toBe(201)
})

test('refused names count too, which limits probing for existing users', async () => {
  const app = await createTestApp({ RATE_LIMIT_REGISTER: '3' })
  await send(app, 1)
  expectProblem(await send(app, 1), 'already_registered')
  expectProblem(await send(app, 1), 'already_registered')
  expectProblem(await send(app, 1), 'too_many_requests')
})

test('an address gets no additional attempts from another instance', async () => {
  const one = await createTestApp({ RATE_LIMIT_REGISTER: '2' })
  const other = await createTestApp({ RATE_LIMIT_REGISTER: '2' })
  const shared = createMemoryCounts(createClock().now)
  for (const app of [one, other]) app.ctx.addressLimits.countsOf = () => shared
  expect((await send(one, 1)).statusCode).toBe(201)
  expect((await send(other, 2)).statusCode).toBe(201)
  expectProblem(await send(one, 3), 'too_many_requests')
  expectProblem(await send(other, 3), 'too_many_requests')
})

test('RATE_LIMIT_ENABLED=false turns the limit off', async () => {
  const app = await createTestApp({ RATE_LIMIT_REGISTER: '1', RATE_LIMIT_ENABLED: 'false' })
  expect((await send(app, 1)).statusCode).toBe(201)
  expect((await send(app, 2)).statusCode).toBe(201)
})
