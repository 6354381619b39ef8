import fp from 'fastify-plugin'
import type { AppOptions } from '../app.ts'
import { type AddressLimit, createAddressLimit, noLimit } from '../limits/address-limit.ts'
import { createMemoryCounts, type SharedCounts } from '../limits/counts.ts'
import type { RedisTimeouts } from '../limits/redis-counts.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** Counts that all instances share. Default: Redis, if REDIS_URL is set. */
    sharedCounts?: SharedCounts
    /** How long a request waits for Redis, in milliseconds. */
    redisTimeouts?: RedisTimeouts
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates a limit of `max` attempts per client address and minute. Each limit needs a unique name. */
    addressLimit(name: string, max: number): AddressLimit
  }
}

/** Limits by client address. */
export default fp<AppOptions>(
  async (app, options) => {
    const { config, log, now } = app
    const { enabled } = config.rateLimits
    const { url, keyPrefix } = config.redis
    let shared = options.sharedCounts
    if (enabled && url !== undefined && !shared) {
      // Load the driver only if Redis is used.
      const { createRedisCounts } = await import('../limits/redis-counts.ts')
      shared = await createRedisCounts({ url, keyPrefix, log, timeouts: options.redisTimeouts })
    }
    app.decorate('addressLimit', (name, max) =>
      enabled ? createAddressLimit({ name, max, memory: createMemoryCounts(now), shared }) : noLimit,
    )
    app.addHook('onClose', async () => shared?.close?.())
  },
  // Its hook comes first, so that a limit in a hook counts the right address.
  { name: 'address-limits', dependencies: ['client-address'] },
)
