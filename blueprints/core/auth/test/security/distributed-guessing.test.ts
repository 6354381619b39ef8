import { describe, expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { bearer, changeUser, logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const wrong = 'Wrong-Horse-7'
const settings = { RATE_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '3' }
const dayInSeconds = 24 * 60 * 60

const home = '192.0.2.1'
const stranger = '203.0.113.250'

/** Guesses from one address after another, so that no limit per client applies. */
async function guess(app: TestApp, times: number, name = 'alice') {
  for (let host = 1; host <= times; host += 1)
    expectProblem(await tryLogIn(app, name, wrong, `198.51.100.${host}`), 'invalid_credentials')
}

const statusOf = async (...login: Parameters<typeof tryLogIn>) => (await tryLogIn(...login)).statusCode

// An attacker with thousands of addresses has as many guesses a minute as addresses, times five.
describe('after many failures of one account from any number of clients', () => {
  test('strangers have one guess a minute between them', async () => {
    const app = await createTestApp(settings)
    await register(app)
    await guess(app, 3)
    app.clock.advance(20)
    await guess(app, 1)
    app.clock.advance(15)
    const response = await tryLogIn(app, 'alice', password, stranger)
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('45')
    app.clock.advance(45)
    await guess(app, 1)
    expect(await statusOf(app, 'alice', password, stranger)).toBe(429)
  })

  test('a client that has logged in before is still served, so an attacker cannot lock the user out', async () => {
    const app = await createTestApp(settings)
    await register(app)
    await tryLogIn(app, 'alice', password, home)
    await guess(app, 4)
    expect(await statusOf(app, 'alice@example.com', password, home)).toBe(200)
    expect(await statusOf(app, 'alice', wrong, home)).toBe(401)
  })

  test('a stranger who knows the password becomes familiar', async () => {
    const app = await createTestApp(settings)
    await register(app)
    await guess(app, 3)
    expect(await statusOf(app, 'alice', password, stranger)).toBe(200)
    await guess(app, 1)
    expect(await statusOf(app, 'alice', password, stranger)).toBe(200)
  })

  test('a client stays familiar for 30 days after its last login', async () => {
    const app = await createTestApp(settings)
    await register(app)
    await tryLogIn(app, 'alice', password, home)
    for (const [days, status] of [
      [29, 200],
      [29, 200],
      [31, 429],
    ] as const) {
      app.clock.advance(days * dayInSeconds)
      await guess(app, 4)
      expect(await statusOf(app, 'alice', password, home)).toBe(status)
    }
  })

  test('a client is familiar to its own account only', async () => {
    const app = await createTestApp(settings)
    await register(app)
    await register(app, 'mallory')
    await tryLogIn(app, 'mallory', password, stranger)
    await guess(app, 4)
    expect(await statusOf(app, 'alice', password, stranger)).toBe(429)
  })

  test('all addresses of one IPv6 /64 are one familiar client', async () => {
    const app = await createTestApp(settings)
    await register(app)
    await tryLogIn(app, 'alice', password, '2001:db8:1:2::1')
    await guess(app, 4)
    expect(await statusOf(app, 'alice', password, '2001:db8:1:2:ffff::1')).toBe(200)
    expect(await statusOf(app, 'alice', password, '2001:db8:1:3::1')).toBe(429)
  })

  test('the limit ends after a day', async () => {
    const app = await createTestApp(settings)
    await register(app)
    await guess(app, 4)
    app.clock.advance(dayInSeconds)
    await guess(app, 3)
  })

  test('by default it begins after 100', async () => {
    const app = await createTestApp()
    await register(app)
    await guess(app, 101)
    expect(await statusOf(app, 'alice', password, stranger)).toBe(429)
  })

  test('a user who is logged in can still prove the password from a new address', async () => {
    const app = await createTestApp(settings)
    await register(app)
    const token = await logIn(app)
    await guess(app, 4)
    const response = await app.inject({
      method: 'PUT',
      url: '/api/v1/users/me',
      remoteAddress: stranger,
      headers: bearer(token),
      body: { email: 'new@example.com', current_password: password },
    })
    expect(response.statusCode).toBe(200)
  })
})

// Otherwise only names that exist would be limited.
test.each(['nobody', 'nobody@example.com'])('the limit applies to %s too', async (name) => {
  const app = await createTestApp(settings)
  await guess(app, 4, name)
  expect(await statusOf(app, name, wrong, stranger)).toBe(429)
})

// A 429 for one name after failures by the other would reveal that both belong to one account.
test('failures by the username do not limit the email', async () => {
  const app = await createTestApp(settings)
  await register(app)
  await guess(app, 4)
  await guess(app, 4, 'alice@example.com')
})

test('a familiar client of a deactivated user is answered like any other', async () => {
  const app = await createTestApp(settings)
  const { id } = await register(app)
  await tryLogIn(app, 'alice', password, home)
  await changeUser(app, id, { isActive: false })
  expect(await statusOf(app, 'alice', password, home)).toBe(401)
})

test('of 20 strangers at once, one is served', async () => {
  const app = await createTestApp(settings)
  await register(app)
  await guess(app, 3)
  const strangers = Array.from({ length: 20 }, (_, host) =>
    statusOf(app, 'alice', wrong, `203.0.113.${host}`),
  )
  const answers = await Promise.all(strangers)
  expect(answers.filter((status) => status === 401)).toHaveLength(1)
})

test('the database does not show from where a user logs in', async () => {
  const app = await createTestApp()
  await register(app)
  await tryLogIn(app, 'alice', password, home)
  const rows = await app.db.read.select().from(attempts)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toMatch(/alice|192\.0\.2\.1/)
})
