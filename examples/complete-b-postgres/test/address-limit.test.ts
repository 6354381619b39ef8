import { describe, expect, test } from 'vitest'
import { clientOf, createAddressLimit } from '../src/limits/address-limit.ts'
import type { SharedCounts } from '../src/limits/counts.ts'
import { createMemoryCounts } from '../src/limits/memory-counts.ts'
import { createClock, createTestApp } from './app.ts'

function createLimit(max: number) {
  const clock = createClock()
  return { clock, ...createAddressLimit({ name: 'test', max, memory: createMemoryCounts(clock.now) }) }
}

const refused = (retryAfter: number) => ({ problem: { status: 429 }, details: { retryAfter } })

test('beyond the limit an address is refused until its minute is over', async () => {
  const { clock, take } = createLimit(2)
  await take('192.0.2.1')
  clock.advance(20)
  await take('192.0.2.1')
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(40))
  clock.advance(39)
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(1))
  clock.advance(1)
  await take('192.0.2.1')
})

test('a refused attempt does not make the wait longer', async () => {
  const { clock, take } = createLimit(1)
  await take('192.0.2.1')
  for (let second = 0; second < 59; second += 1) {
    clock.advance(1)
    await expect(take('192.0.2.1')).rejects.toMatchObject(refused(59 - second))
  }
  clock.advance(1)
  await take('192.0.2.1')
})

test('another address has its own limit', async () => {
  const { take } = createLimit(1)
  await take('192.0.2.1')
  await take('192.0.2.2')
})

test('what is given back can be taken again, and no more', async () => {
  const { take } = createLimit(2)
  await take('192.0.2.1')
  const giveBack = await take('192.0.2.1')
  await giveBack()
  await take('192.0.2.1')
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(60))
})

test('what was taken in a minute that is over is not given back to the next one', async () => {
  const { clock, take } = createLimit(1)
  const giveBack = await take('192.0.2.1')
  clock.advance(60)
  await take('192.0.2.1')
  await giveBack()
  await expect(take('192.0.2.1')).rejects.toMatchObject(refused(60))
})

test('of many attempts at once no more get through', async () => {
  const { take } = createLimit(5)
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => take('192.0.2.1')))
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
})

test.each([
  ['one /64 of IPv6', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['another /64', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['an IPv4 address written as IPv6', '::ffff:192.0.2.1', '192.0.2.1', true],
  ['two IPv4 addresses written as IPv6', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['one address with two zones', 'fe80::1%eth0', 'fe80::1%eth1', true],
])('%s: %s and %s are one client: %s', (_case, one, other, same) => {
  expect(clientOf(one) === clientOf(other)).toBe(same)
})

test('a flood of addresses pushes out the oldest: memory stays bounded', async () => {
  const { take } = createLimit(1)
  await take('192.0.2.1')
  for (let host = 0; host < 50_000; host += 1)
    await take(`10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`)
  await take('192.0.2.1')
  await expect(take('10.0.195.79')).rejects.toMatchObject(refused(60))
})

describe('counts that instances share', () => {
  /** What several apps are given in the place of Redis; `isUp` switches it off. */
  function createSharedCounts() {
    const counts = createMemoryCounts(createClock().now)
    const state = { isUp: true, isClosed: false }
    return Object.assign(state, {
      take: async (key: string, max: number) => (state.isUp ? counts.take(key, max) : undefined),
      close() {
        state.isClosed = true
      },
    })
  }
  const createInstance = (sharedCounts: SharedCounts, env = {}) => createTestApp(env, false, { sharedCounts })

  test('an address has one limit at all of them, by the name of the limit', async () => {
    const shared = createSharedCounts()
    const [one, other] = [await createInstance(shared), await createInstance(shared)]
    await one.addressLimit('a', 2).take('2001:db8:1:2::1')
    const giveBack = await other.addressLimit('a', 2).take('2001:db8:1:2::2')
    await expect(one.addressLimit('a', 2).take('2001:db8:1:2::3')).rejects.toMatchObject(refused(60))
    await one.addressLimit('b', 2).take('2001:db8:1:2::3')
    await giveBack()
    await one.addressLimit('a', 2).take('2001:db8:1:2::3')
  })

  test('while they cannot be reached each instance goes on counting: no limit is open', async () => {
    const shared = createSharedCounts()
    const limit = (await createInstance(shared)).addressLimit('a', 1)
    const giveBack = await limit.take('192.0.2.1')
    shared.isUp = false
    await limit.take('192.0.2.1')
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused(60))
    // It was counted there, and is taken back there.
    await giveBack()
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused(60))
    shared.isUp = true
    await limit.take('192.0.2.1')
  })

  test('are not asked where RATE_LIMIT_ENABLED is false', async () => {
    const app = await createInstance(createSharedCounts(), { RATE_LIMIT_ENABLED: 'false' })
    const limit = app.addressLimit('a', 1)
    await limit.take('192.0.2.1')
    await limit.take('192.0.2.1')
  })

  test('are closed with the app', async () => {
    const shared = createSharedCounts()
    const app = await createInstance(shared)
    await app.close()
    expect(shared.isClosed).toBe(true)
  })
})
