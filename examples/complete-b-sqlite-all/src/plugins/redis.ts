import fp from 'fastify-plugin'
import type { AppOptions } from '../app.ts'
import type { RedisTimeouts } from '../limits/redis-counts.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** How long a request waits for Redis, in milliseconds. */
    redisTimeouts?: RedisTimeouts
  }
}

/** Counts client addresses in Redis if REDIS_URL is set, so that all instances count together. */
export default fp<AppOptions>(async (app, { redisTimeouts: timeouts }) => {
  const { rateLimits, redis } = app.config
  const { url, keyPrefix } = redis
  if (!rateLimits.enabled || url === undefined) return
  // Load the driver only if Redis is used.
  const { createRedisCounts, orElse } = await import('../limits/redis-counts.ts')
  const counts = await createRedisCounts({ url, keyPrefix, log: app.log, timeouts })
  const { addressLimits } = app.ctx
  const { countsOf } = addressLimits
  addressLimits.countsOf = (name) => orElse(counts, countsOf(name))
  app.addHook('onClose', async () => counts.close())
})
