import { describe, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { changeUser, logIn, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const wrong = 'Wrong-Horse-7'

async function failLogins(app: TestApp, times: number, name = 'alice', address?: string) {
  for (let time = 0; time < times; time += 1)
    expectProblem(await tryLogIn(app, name, wrong, address), 'invalid_credentials')
}

async function appWithAlice(env: Record<string, string> = {}) {
  const app = await createTestApp(env)
  await register(app)
  return app
}

/** Another instance of the service, on the same database. */
async function secondInstance({ config, db, now, clock }: TestApp): Promise<TestApp> {
  const app = Object.assign(await buildApp({ config, db, now }), { clock })
  onTestFinished(() => app.close())
  return app
}

describe('after 5 failures of one account from one address in 60 seconds', () => {
  test('even the right password is refused, so an attacker does not learn that it is right', async () => {
    const app = await appWithAlice()
    await failLogins(app, 1)
    app.clock.advance(20)
    await failLogins(app, 4)
    const response = await tryLogIn(app, 'alice', password)
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('40')
  })

  test('but after 4 failures the right password is accepted', async () => {
    const app = await appWithAlice()
    await failLogins(app, 4)
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  })

  test('the next attempt is possible after 60 seconds, which refusals do not extend', async () => {
    const app = await appWithAlice()
    await failLogins(app, 5)
    for (let second = 0; second < 59; second += 1) {
      app.clock.advance(1)
      expectProblem(await tryLogIn(app, 'alice', wrong), 'too_many_requests')
    }
    app.clock.advance(1)
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  })

  test('the user can log in from another address, so an attacker cannot lock them out', async () => {
    const app = await appWithAlice()
    await failLogins(app, 5)
    expect((await tryLogIn(app, 'alice', password, '192.0.2.2')).statusCode).toBe(200)
  })

  test('other accounts are not limited', async () => {
    const app = await appWithAlice()
    await register(app, 'bob')
    await failLogins(app, 5)
    expect((await tryLogIn(app, 'bob', password)).statusCode).toBe(200)
  })

  test.each([
    ['alice', 'ALICE'],
    ['alice@example.com', 'Alice@EXAMPLE.com'],
  ])('%s: the spelling %s does not bypass the limit', async (name, spelling) => {
    const app = await appWithAlice()
    await failLogins(app, 5, name)
    expectProblem(await tryLogIn(app, spelling, password), 'too_many_requests')
  })

  test('every instance applies the limit', async () => {
    const app = await appWithAlice()
    const other = await secondInstance(app)
    await failLogins(app, 3, 'alice@example.com')
    await failLogins(other, 2, 'alice@example.com')
    for (const instance of [app, other])
      expectProblem(await tryLogIn(instance, 'alice@example.com', password), 'too_many_requests')
  })

  test('all addresses of one IPv6 /64 share the limit; another /64 is another client', async () => {
    const app = await appWithAlice()
    await failLogins(app, 5, 'alice', '2001:db8:1:2::1')
    expectProblem(await tryLogIn(app, 'alice', password, '2001:db8:1:2:ffff::1'), 'too_many_requests')
    expect((await tryLogIn(app, 'alice', password, '2001:db8:1:3::1')).statusCode).toBe(200)
  })

  test.each([
    ['/56', 4, (n: number) => `2001:db8:1:2${n.toString(16).padStart(2, '0')}::1`],
    ['/48', 16, (n: number) => `2001:db8:1:${n.toString(16).padStart(2, '0')}00::1`],
  ])('all /64s of one IPv6 %s share %i times the limit', async (_network, times, address) => {
    const app = await appWithAlice({ RATE_LIMIT_LOGIN_FAILURES: '1' })
    for (let n = 0; n < times; n += 1) await failLogins(app, 1, 'alice', address(n))
    app.clock.advance(30)
    expectProblem(await tryLogIn(app, 'alice', password, address(times)), 'too_many_requests')
    expect((await tryLogIn(app, 'alice', password, '2001:db8:2::1')).statusCode).toBe(200)
    app.clock.advance(30)
    // Neither the refused attempt nor these successful ones count in any network.
    for (let n = 0; n < times; n += 1)
      expect((await tryLogIn(app, 'alice', password, address(n))).statusCode).toBe(200)
    await failLogins(app, 1, 'alice', address(times))
  })

  test('a restart does not reset the limit', async () => {
    const app = await appWithAlice()
    await failLogins(app, 5)
    const restarted = await secondInstance(app)
    expectProblem(await tryLogIn(restarted, 'alice', password), 'too_many_requests')
  })
})

// A limit for existing users only would reveal who has an account.
describe('the limit does not reveal who has an account', () => {
  test.each([
    ['nobody', 'NOBODY'],
    ['nobody@example.com', 'Nobody@EXAMPLE.com'],
    ['nobody@b\u00fccher.example', 'nobody@xn--bcher-kva.example'],
    ['-', '-'],
  ])('it applies to %s, also written as %s', async (name, otherwise) => {
    const app = await createTestApp()
    await failLogins(app, 3, name)
    await failLogins(app, 2, otherwise)
    const response = await tryLogIn(app, name, wrong)
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('60')
  })

  test('a look-alike name is counted separately, whether the original exists or not', async () => {
    const app = await createTestApp()
    await register(app, 'kelvin')
    for (const name of ['kelvin', 'kermit']) {
      await failLogins(app, 5, name)
      await failLogins(app, 5, name.replace('k', '\u212a'))
    }
  })

  test('it applies to inactive users', async () => {
    const app = await createTestApp()
    const { id } = await register(app)
    await changeUser(app, id, { isActive: false })
    for (let time = 0; time < 5; time += 1)
      expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
    expectProblem(await tryLogIn(app, 'alice', password), 'too_many_requests')
  })
})

// Five failures by a username, and a 429 for an email, would reveal whose email it is.
test.each([
  ['alice', 'ALICE', 'alice@example.com'],
  ['alice@example.com', 'alice@EXAMPLE.com', 'alice'],
  ['nobody', 'NOBODY', 'nobody@example.com'],
])('failures by %s do not count for the other name of the account', async (name, spelling, other) => {
  const app = await appWithAlice()
  for (const instance of [app, await secondInstance(app)]) {
    await failLogins(app, 5, name)
    expectProblem(await tryLogIn(instance, spelling, password), 'too_many_requests')
    await failLogins(instance, 5, other)
    expectProblem(await tryLogIn(instance, other, password), 'too_many_requests')
    app.clock.advance(60)
  }
})

describe('a successful login', () => {
  test('is not counted', async () => {
    const app = await appWithAlice({ RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '5' })
    for (let time = 0; time < 20; time += 1) await logIn(app)
  })

  test('does not reset failures: an attacker with an account cannot use it to guess without a limit', async () => {
    const app = await appWithAlice()
    await failLogins(app, 4)
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
    await failLogins(app, 1)
    expectProblem(await tryLogIn(app, 'alice', password), 'too_many_requests')
  })

  test('does not reset failures of its address', async () => {
    const app = await appWithAlice({ RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '5' })
    for (const name of ['guess1', 'guess2', 'guess3', 'guess4']) await failLogins(app, 1, name)
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
    await failLogins(app, 1, 'guess5')
    expectProblem(await tryLogIn(app, 'alice', password), 'too_many_requests')
  })
})

describe('failures of one address with many names (password spraying)', () => {
  test('are limited to 30 per minute', async () => {
    const app = await appWithAlice()
    for (let number = 0; number < 30; number += 1) await failLogins(app, 1, `guess${number}`)
    const response = await tryLogIn(app, 'alice', password)
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('60')
    expect((await tryLogIn(app, 'alice', password, '192.0.2.2')).statusCode).toBe(200)
    app.clock.advance(60)
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  })

  test('do not count against the account if they are refused', async () => {
    const app = await appWithAlice({ RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '1' })
    await failLogins(app, 1, 'guess')
    app.clock.advance(30)
    for (let time = 0; time < 6; time += 1)
      expectProblem(await tryLogIn(app, 'alice', password), 'too_many_requests')
    app.clock.advance(30)
    expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
  })
})

describe('X-Forwarded-For', () => {
  const guess = (app: TestApp, connection: string, forwardedFor: string) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      remoteAddress: connection,
      headers: { 'x-forwarded-for': forwardedFor },
      body: { username: 'alice', password: wrong },
    })

  test('from an untrusted client does not bypass the limit', async () => {
    const app = await appWithAlice()
    for (let host = 0; host < 5; host += 1)
      expectProblem(await guess(app, '192.0.2.1', `203.0.113.${host}`), 'invalid_credentials')
    expectProblem(await guess(app, '192.0.2.1', '203.0.113.99'), 'too_many_requests')
  })

  test('from a trusted proxy identifies the client by the last address only', async () => {
    const app = await appWithAlice({ TRUST_PROXY: '10.0.0.1' })
    for (let host = 0; host < 5; host += 1)
      expectProblem(await guess(app, '10.0.0.1', `198.51.100.${host}, 203.0.113.1`), 'invalid_credentials')
    expectProblem(await guess(app, '10.0.0.1', '198.51.100.99, 203.0.113.1'), 'too_many_requests')
    expectProblem(await guess(app, '10.0.0.1', '203.0.113.2'), 'invalid_credentials')
  })

  test('with the port of the client does not bypass the limit', async () => {
    const app = await appWithAlice({ TRUST_PROXY: '10.0.0.1' })
    for (let port = 4000; port < 4005; port += 1)
      expectProblem(await guess(app, '10.0.0.1', `203.0.113.1:${port}`), 'invalid_credentials')
    expectProblem(await guess(app, '10.0.0.1', '203.0.113.1:4005'), 'too_many_requests')
  })
})

test('RATE_LIMIT_ENABLED=false turns the limits off', async () => {
  const app = await appWithAlice({ RATE_LIMIT_ENABLED: 'false' })
  await failLogins(app, 35)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})
