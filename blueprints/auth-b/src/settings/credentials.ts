import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { wholeNumber } from './types.ts'

/** Leaves one core for other requests. libuv has four threads. */
const spareCores = Math.min(4, Math.max(1, availableParallelism() - 1))

/** Password rules and hashing. The lower bounds are the OWASP minimum for argon2id: 19 MiB, t = 2, p = 1. */
export const credentials = z
  .object({
    PASSWORD_MIN_LENGTH: wholeNumber({ min: 8, max: 64 }).default(8).describe('Minimum number of characters'),
    ARGON2_MEMORY_KIB: wholeNumber({ min: 19_456, max: 1_048_576 })
      .default(65_536)
      .describe('Memory of one hash, in KiB'),
    ARGON2_TIME_COST: wholeNumber({ min: 2, max: 16 }).default(3).describe('Passes over that memory'),
    ARGON2_PARALLELISM: wholeNumber({ min: 1, max: 16 }).default(1).describe('Threads of one hash'),
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
    argon2: {
      memoryCost: env.ARGON2_MEMORY_KIB,
      timeCost: env.ARGON2_TIME_COST,
      parallelism: env.ARGON2_PARALLELISM,
    },
    hashConcurrency: env.HASH_CONCURRENCY,
    hashQueue: env.HASH_QUEUE,
  }))
