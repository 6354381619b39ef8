import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { newSecret } from '../../src/service-clients/secrets.ts'
import { comparable } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'
import { askForToken, clients, createClient, postForm } from '../support/service-clients.ts'

test('a secret is one word with a prefix, 256 random bits and a checksum that scanners can verify', () => {
  const secret = newSecret()
  expect(secret).toMatch(/^svc_[A-Za-z0-9_-]{49}$/)
  const checksum = createHash('sha256').update(secret.slice(0, -6)).digest('base64url').slice(0, 6)
  expect(secret.slice(-6)).toBe(checksum)
  expect(newSecret().slice(4, 47)).not.toBe(secret.slice(4, 47))
})

test('an unknown client, a wrong secret and a revoked client get the same answer', async () => {
  const app = await createTestApp()
  const secret = await createClient(app)
  const gone = await createClient(app, 'gone')
  await clients(app, 'revoke', 'gone')
  const answers = await Promise.all([
    askForToken(app, secret, 'nobody'),
    askForToken(app, gone),
    askForToken(app, gone, 'gone'),
    askForToken(app, 'x'),
  ])
  const [first, ...others] = answers.map(comparable)
  expect(first?.statusCode).toBe(401)
  for (const other of others) expect(other).toEqual(first)
})

test('guesses are limited by client and address, also with the right secret, and harm no other', async () => {
  const app = await createTestApp({ RATE_LIMIT_CLIENT_FAILURES: '3' })
  const secret = await createClient(app)
  const jobs = await createClient(app, 'jobs')
  const guesses = await Promise.all(Array.from({ length: 5 }, () => askForToken(app, newSecret())))
  expect(guesses.map(({ statusCode }) => statusCode).toSorted()).toEqual([401, 401, 401, 429, 429])
  const refused = await askForToken(app, secret)
  expectProblem(refused, 'too_many_requests')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  // Another program behind the same address, and the same program elsewhere.
  expect((await askForToken(app, jobs, 'jobs')).statusCode).toBe(200)
  expect((await askForToken(app, secret, 'orders', '198.51.100.1')).statusCode).toBe(200)
  app.clock.advance(60)
  expect((await askForToken(app, secret)).statusCode).toBe(200)
})

// Thousands of made-up names would fill the disk.
test('a request with a made-up or wrong secret writes no row', async () => {
  const app = await createTestApp()
  await createClient(app)
  for (const name of ['orders', 'made-up', 'nobody'])
    expect((await askForToken(app, newSecret(), name)).statusCode).toBe(401)
  expect(await app.db.read.$count(attempts)).toBe(0)
})

test('a right secret is no failure', async () => {
  const app = await createTestApp({ RATE_LIMIT_CLIENT_FAILURES: '2' })
  const secret = await createClient(app)
  for (let time = 0; time < 5; time += 1) expect((await askForToken(app, secret)).statusCode).toBe(200)
})

test('a right secret is no failure, also beyond the limit of tokens', async () => {
  const app = await createTestApp({ RATE_LIMIT_CLIENT_TOKENS: '1', RATE_LIMIT_CLIENT_FAILURES: '2' })
  const secret = await createClient(app)
  expect((await askForToken(app, secret)).statusCode).toBe(200)
  app.clock.advance(30)
  for (let time = 0; time < 3; time += 1) expect((await askForToken(app, secret)).statusCode).toBe(429)
  app.clock.advance(31)
  expect((await askForToken(app, secret)).statusCode).toBe(200)
})

test('a client gets a number of tokens a minute, from all its addresses together', async () => {
  const app = await createTestApp({ RATE_LIMIT_CLIENT_TOKENS: '3' })
  const secret = await createClient(app)
  const jobs = await createClient(app, 'jobs')
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
  const statuses: number[] = []
  for (const address of addresses)
    statuses.push((await askForToken(app, secret, 'orders', address)).statusCode)
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await askForToken(app, jobs, 'jobs')).statusCode).toBe(200)
})

test('no answer and no error contains a secret', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await createTestApp({}, { level: 'trace', stream })
  const secret = await createClient(app)
  const responses = [
    await askForToken(app, secret),
    await askForToken(app, secret, 'nobody'),
    await postForm(app, `grant_type=client_credentials&client_id=x&client_secret=${secret}`),
    await postForm(app, `grant_type=${secret}`),
    await postForm(app, `${secret}=a&${secret}=b`),
  ]
  const said = [...responses.map((response) => response.body), ...lines].join('\n')
  expect(said).not.toContain(secret.slice(4, 30))
})
