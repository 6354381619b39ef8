import { expect, test } from 'vitest'
import { logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

// Each login writes rows that stay until they expire: a thief of one password could fill the disk.
test('successful logins are limited per user and hour, by both names and from all clients', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '3' })
  await register(app)
  await register(app, 'bob')
  const names = ['alice', 'alice@example.com', 'ALICE']
  for (const [at, name] of names.entries())
    expect((await tryLogIn(app, name, password, `192.0.2.${at}`)).statusCode).toBe(200)
  app.clock.advance(60)
  const refused = await tryLogIn(app, 'alice', password, '192.0.2.9')
  expectProblem(refused, 'too_many_requests')
  expect(refused.headers['retry-after']).toBe(String(59 * 60))
  await logIn(app, 'bob')
  app.clock.advance(59 * 60)
  await logIn(app)
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
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, at) => tryLogIn(app, 'alice', password, `192.0.2.${at}`)),
  )
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 429, 429])
})

test('RATE_LIMIT_ENABLED=false turns the limit off', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '1', RATE_LIMIT_ENABLED: 'false' })
  await register(app)
  for (let time = 0; time < 2; time += 1) await logIn(app)
})
