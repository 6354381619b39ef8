import { describe, expect, test } from 'vitest'
import { createMemoryCounts, type KeyLimit } from '../../src/limits/address-limit.ts'
import { orElse, type RedisCounts } from '../../src/limits/redis-counts.ts'
import { createClock, createTestApp } from '../support/app.ts'

const refused = (retryAfter: number) => ({ problem: { status: 429 }, details: { retryAfter } })

describe('shared counts', () => {
  /** Counts that several apps share. Set `isUp` to false to make them unavailable. */
  function createSharedCounts() {
    const counts = createMemoryCounts(createClock().now)
    const state = { isUp: true }
    return Object.assign(state, {
      take: async (limits: KeyLimit[]) => (state.isUp ? counts.take(limits) : undefined),
    })
  }
  async function createInstance(shared: Pick<RedisCounts, 'take'>, env = {}) {
    const app = await createTestApp(env)
    const { countsOf } = app.ctx.addressLimits
    app.ctx.addressLimits.countsOf = (name) => orElse(shared, countsOf(name))
    return app
  }

  test('a limit covers all instances, separately for each name', async () => {
    const shared = createSharedCounts()
    const [one, other] = [await createInstance(shared), await createInstance(shared)]
    await one.addressLimit('a', 2).take('2001:db8:1:2::1')
    const giveBack = await other.addressLimit('a', 2).take('2001:db8:1:2::2')
    await expect(one.addressLimit('a', 2).take('2001:db8:1:2::3')).rejects.toMatchObject(refused(60))
    await one.addressLimit('b', 2).take('2001:db8:1:2::3')
    await giveBack()
    await one.addressLimit('a', 2).take('2001:db8:1:2::3')
  })

  test('while they are unreachable, each instance still enforces the limit', async () => {
    const shared = createSharedCounts()
    const limit = (await createInstance(shared)).addressLimit('a', 1)
    const giveBack = await limit.take('192.0.2.1')
    shared.isUp = false
    await limit.take('192.0.2.1')
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused(60))
    // It was counted in the shared counts, so it is given back there and not in memory.
    await giveBack()
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused(60))
    shared.isUp = true
    await limit.take('192.0.2.1')
  })

  test('are not used if RATE_LIMIT_ENABLED is false', async () => {
    const app = await createInstance(createSharedCounts(), { RATE_LIMIT_ENABLED: 'false' })
    const limit = app.addressLimit('a', 1)
    await limit.take('192.0.2.1')
    await limit.take('192.0.2.1')
  })
})
