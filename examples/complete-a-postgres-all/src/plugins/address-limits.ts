import fp from 'fastify-plugin'
import { type AddressLimit, createAddressLimit, noLimit } from '../limits/address-limit.ts'
import { createMemoryCounts, type SharedCounts } from '../limits/counts.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where limits count. A plugin can set counts that all instances share; without them each instance counts alone. */
    addressCounts: { shared?: SharedCounts }
    /** Creates a limit of `max` attempts per client address and minute. Each limit needs a unique name. */
    addressLimit(name: string, max: number): AddressLimit
  }
}

/** Limits by client address. */
export default fp(
  async (app) => {
    const { config, now } = app
    const counts: { shared?: SharedCounts } = {}
    app.decorate('addressCounts', counts)
    app.decorate('addressLimit', (name, max) =>
      config.rateLimits.enabled
        ? createAddressLimit({ name, max, memory: createMemoryCounts(now), counts })
        : noLimit,
    )
  },
  // Its hook comes first, so that a limit in a hook counts the right address.
  { name: 'address-limits', dependencies: ['client-address'] },
)
