import { expect, test } from 'vitest'
import { logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

// Each leaves rows that stay for weeks: an attacker who knows one password could fill the disk.
test('successful logins are limited per user, client and hour, by both names', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '3' })
  await register(app)
  await register(app, 'bob')
  const address = '192.0.2.1'
  for (const name of ['alice', 'alice@example.com', 'ALICE'])
    expect((await tryLogIn(app, name, password, address)).statusCode).toBe(200)
  app.clock.advance(60)
  const refused = await tryLogIn(app, 'alice', password, address)
  expectProblem(refused, 'too_many_requests')
  expect(refused.headers['retry-after']).toBe(String(59 * 60))
  expect((await tryLogIn(app, 'bob', password, address)).statusCode).toBe(200)
  app.clock.advance(59 * 60)
  expect((await tryLogIn(app, 'alice', password, address)).statusCode).toBe(200)
})

test('an attacker who knows a password cannot lock its user out', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '1' })
  await register(app)
  expect((await tryLogIn(app, 'alice', password, '2001:db8:0:1::1')).statusCode).toBe(200)
  expectProblem(await tryLogIn(app, 'alice', password, '2001:db8:0:1::2'), 'too_many_requests')
  expect((await tryLogIn(app, 'alice', password, '2001:db8:0:2::1')).statusCode).toBe(200)
})

test('a /56 may log in 4 times as often as a client, and a /48 16 times', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '1' })
  await register(app)
  const statusOf = async (subnet: string) =>
    (await tryLogIn(app, 'alice', password, `2001:db8:1:${subnet}::1`)).statusCode
  for (const large of ['1', '2', '3', '4']) {
    for (const small of ['01', '02', '03', '04']) expect(await statusOf(large + small)).toBe(200)
    expect(await statusOf(`${large}05`)).toBe(429)
  }
  expect(await statusOf('501')).toBe(429)
  expect((await tryLogIn(app, 'alice', password, '2001:db8:2::1')).statusCode).toBe(200)
})

test('wrong passwords do not count', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '1' })
  await register(app)
  for (let time = 0; time < 3; time += 1)
    expectProblem(await tryLogIn(app, 'alice', 'Wrong-Horse-7'), 'invalid_credentials')
  await logIn(app)
})

test('concurrent logins cannot exceed the limit', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '2' })
  await register(app)
  const answers = await Promise.all(Array.from({ length: 4 }, () => tryLogIn(app, 'alice', password)))
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 429, 429])
})

test('RATE_LIMIT_ENABLED=false turns the limit off', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '1', RATE_LIMIT_ENABLED: 'false' })
  await register(app)
  for (let time = 0; time < 2; time += 1) await logIn(app)
})
