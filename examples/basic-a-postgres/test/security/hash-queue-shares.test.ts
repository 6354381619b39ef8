import { describe, expect, test, vi } from 'vitest'
import { createHashQueue, type Hashing } from '../../src/passwords/credentials.ts'
import { hashPassword, verifyHash } from '../../src/passwords/hashes.ts'
import { bearer, logIn, password, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const refused = { problem: { code: 'too_many_requests' }, details: { retryAfter: 2 } }
const full = { problem: { code: 'unavailable' } }

/** A queue whose work ends when the test calls `finish`, in the order of `started`. */
function heldQueue(maxWaiting: number, hasShares = true) {
  const queue = createHashQueue(1, maxWaiting, hasShares)
  const started: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const accepted: Promise<void>[] = []
  const add = (address: string, label = address) => {
    const work = queue(async () => {
      started.push(label)
      await held
    }, address)
    accepted.push(work.catch(() => {}))
    return work
  }
  const finish = async () => {
    release()
    await Promise.all(accepted)
  }
  return { add, started, finish }
}

// 30 logins of one client made everyone else wait for 30 hashes.
test('clients take turns: each waits for one hash of any other client', async () => {
  const { add, started, finish } = heldQueue(100)
  for (let n = 0; n < 20; n += 1) void add('192.0.2.1', `attacker ${n}`)
  for (let n = 0; n < 20; n += 1) void add('192.0.2.2', `other attacker ${n}`)
  for (const n of [0, 1]) void add('192.0.2.3', `victim ${n}`)
  await finish()
  expect(started).toHaveLength(42)
  expect(started.slice(0, 6)).toEqual([
    'attacker 0',
    'attacker 1',
    'other attacker 0',
    'victim 0',
    'attacker 2',
    'other attacker 1',
  ])
})

test('all addresses of an IPv6 /64 are one client', async () => {
  const { add, started, finish } = heldQueue(100)
  for (let n = 0; n < 25; n += 1) void add(`2001:db8::${n}`, `attacker ${n}`)
  const beyond = add('2001:db8::ffff')
  void add('2001:db8:0:1::1', 'neighbour')
  await finish()
  await expect(beyond).rejects.toMatchObject(refused)
  expect(started.slice(0, 3)).toEqual(['attacker 0', 'attacker 1', 'neighbour'])
})

describe('one client gets 429 beyond a quarter of the queue', () => {
  test.each([
    [100, 25],
    [10, 4],
  ])('of %i: %i', async (maxWaiting, share) => {
    const { add, finish } = heldQueue(maxWaiting)
    for (let n = 0; n < share; n += 1) void add('192.0.2.1')
    const beyond = add('192.0.2.1')
    const other = add('192.0.2.2')
    await finish()
    await expect(beyond).rejects.toMatchObject(refused)
    await other
    await add('192.0.2.1')
  })

  test('but not if RATE_LIMIT_ENABLED is false', async () => {
    const { add, finish } = heldQueue(8, false)
    for (let n = 0; n < 9; n += 1) void add('192.0.2.1')
    const beyond = add('192.0.2.1')
    await finish()
    await expect(beyond).rejects.toMatchObject(full)
  })
})

test('every request that hashes counts for its client', async () => {
  let toHold = 0
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const hash: Hashing['hash'] = async (...args) => {
    toHold -= 1
    if (toHold >= 0) await finished
    return hashPassword(...args)
  }
  const settings = { HASH_CONCURRENCY: '16', HASH_QUEUE: '16' }
  const app = await createTestApp(settings, false, { hashing: { hash, verify: verifyHash } })
  await register(app)
  const headers = bearer(await logIn(app))
  toHold = 4
  const others = Array.from({ length: 4 }, () => app.ctx.credentials.hash(password, '127.0.0.1'))

  const bob = { username: 'bob', email: 'bob@example.com', password }
  const requests = [
    { method: 'POST', url: '/api/v1/auth/login', body: { username: 'alice', password } },
    { method: 'POST', url: '/api/v1/auth/login', body: { username: 'nobody', password } },
    { method: 'POST', url: '/api/v1/auth/register', body: bob },
    {
      method: 'PUT',
      url: '/api/v1/users/me',
      headers,
      body: { email: 'new@example.com', current_password: password },
    },
  ] as const
  for (const request of requests) {
    const response = await app.inject(request)
    expectProblem(response, 'too_many_requests')
    expect(response.headers['retry-after']).toBe('2')
  }
  const login = await app.inject({ ...requests[0], remoteAddress: '192.0.2.2' })
  expect(login.statusCode).toBe(200)
  finish()
  await Promise.all(others)
})

test('the hash that replaces a weak one at a login counts for its client', async () => {
  const app = await createTestApp()
  await register(app)
  const { credentials } = app.ctx
  vi.spyOn(credentials, 'needsRehash').mockReturnValue(true)
  const hash = vi.spyOn(credentials, 'hash')
  await logIn(app)
  expect(hash.mock.calls).toEqual([[password, '127.0.0.1']])
})
