import { expect, test } from 'vitest'
import { createMemoryCounts } from '../../src/limits/memory-counts.ts'
import { password } from '../accounts.ts'
import { createClock, createTestApp, type TestApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

const send = (app: TestApp, number: number, remoteAddress = '192.0.2.1') =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    remoteAddress,
    body: { username: `user${number}`, email: `user${number}@example.com`, password },
  })

test('one address makes so many users in a minute, and another is not held up by it', async () => {
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

test('refused names count too: the limit is also one on trying out who exists', async () => {
  const app = await createTestApp({ RATE_LIMIT_REGISTER: '3' })
  await send(app, 1)
  expectProblem(await send(app, 1), 'already_registered')
  expectProblem(await send(app, 1), 'already_registered')
  expectProblem(await send(app, 1), 'too_many_requests')
})

test('an address that goes from one instance to another has no more', async () => {
  const sharedCounts = createMemoryCounts(createClock().now)
  const [one, other] = [
    await createTestApp({ RATE_LIMIT_REGISTER: '2' }, false, { sharedCounts }),
    await createTestApp({ RATE_LIMIT_REGISTER: '2' }, false, { sharedCounts }),
  ]
  expect((await send(one, 1)).statusCode).toBe(201)
  expect((await send(other, 2)).statusCode).toBe(201)
  expectProblem(await send(one, 3), 'too_many_requests')
  expectProblem(await send(other, 3), 'too_many_requests')
})

test('RATE_LIMIT_ENABLED=false switches it off', async () => {
  const app = await createTestApp({ RATE_LIMIT_REGISTER: '1', RATE_LIMIT_ENABLED: 'false' })
  expect((await send(app, 1)).statusCode).toBe(201)
  expect((await send(app, 2)).statusCode).toBe(201)
})
