import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { flag, wholeNumber } from './types.ts'

/** Leaves one core for other requests. libuv has four threads. */
const spareCores = Math.min(4, Math.max(1, availableParallelism() - 1))

/** Password rules and hashing. */
export const credentials = z
  .object({
    PASSWORD_MIN_LENGTH: wholeNumber({ min: 8, max: 64 }).default(8).describe('Minimum number of characters'),
    PASSWORD_COMPOSITION: flag()
      .default(true)
      .describe('Require an uppercase letter, a lowercase letter and a digit'),
    BCRYPT_COST: wholeNumber({ min: 10, max: 16 })
      .default(12)
      .describe('Work factor of bcrypt; each step doubles the time'),
    HASH_CONCURRENCY: wholeNumber({ min: 1, max: 16 })
      .default(spareCores)
      .describe(
        'Hashes computed at the same time, one core each; default: all cores but one, at most 4; above 4, set UV_THREADPOOL_SIZE',
      ),
    HASH_QUEUE: wholeNumber({ min: 1, max: 10_000 })
      .default(100)
      .describe(
        'Hashes that may wait in the queue; when it is full, requests get 503; a client has at most a quarter',
      ),
  })
  .transform((env) => ({
    minLength: env.PASSWORD_MIN_LENGTH,
    composition: env.PASSWORD_COMPOSITION,
    bcryptCost: env.BCRYPT_COST,
    hashConcurrency: env.HASH_CONCURRENCY,
    hashQueue: env.HASH_QUEUE,
  }))
