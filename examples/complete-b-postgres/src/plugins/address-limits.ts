import fp from 'fastify-plugin'
import type { AppOptions } from '../app.ts'
import { type AddressLimit, createAddressLimit, noLimit } from '../limits/address-limit.ts'
import type { SharedCounts } from '../limits/counts.ts'
import { createMemoryCounts } from '../limits/memory-counts.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** Where all instances count addresses together; by default Redis, where the settings name a server. */
    sharedCounts?: SharedCounts
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** A limit for each client address, of `max` a minute; it has its name for itself. */
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
      // Only who uses Redis loads its driver.
      const { createRedisCounts } = await import('../limits/redis-counts.ts')
      shared = createRedisCounts({ url, keyPrefix, log })
    }
    app.decorate('addressLimit', (name, max) =>
      enabled ? createAddressLimit({ name, max, memory: createMemoryCounts(now), shared }) : noLimit,
    )
    app.addHook('onClose', async () => shared?.close?.())
  },
  { name: 'address-limits' },
)
