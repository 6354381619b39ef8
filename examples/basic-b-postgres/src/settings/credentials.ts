import { availableParallelism } from 'node:os'
import { flag, settings, wholeNumber } from './types.ts'

/** Leaves one core for other requests. libuv has four threads. */
const spareCores = Math.min(4, Math.max(1, availableParallelism() - 1))

/** Password rules and hashing. The lower bounds are the OWASP minimum for argon2id: 19 MiB, t = 2, p = 1. */
export const credentials = settings(
  {
    /** Minimum length of a new password in characters. */
    minLength: ['PASSWORD_MIN_LENGTH', wholeNumber({ min: 8, max: 64 }).default(8)],
    /** Require an uppercase letter, a lowercase letter, a digit and a special character in new passwords. */
    composition: ['PASSWORD_COMPOSITION', flag().default(true)],
    /** Memory of one hash (argon2id) in KiB. */
    memoryCost: ['ARGON2_MEMORY_KIB', wholeNumber({ min: 19_456, max: 1_048_576 }).default(65_536)],
    /** Passes of one hash over that memory. */
    timeCost: ['ARGON2_TIME_COST', wholeNumber({ min: 2, max: 16 }).default(3)],
    /** Threads of one hash. */
    parallelism: ['ARGON2_PARALLELISM', wholeNumber({ min: 1, max: 16 }).default(1)],
    /** Hashes computed at the same time, one core each. Empty: all cores but one, at most 4. Above 4, set UV_THREADPOOL_SIZE. */
    hashConcurrency: ['HASH_CONCURRENCY', wholeNumber({ min: 1, max: 16 }).optional()],
    /** Hashes that may wait; further requests get 503, and a client with a quarter of the queue gets 429. */
    hashQueue: ['HASH_QUEUE', wholeNumber({ min: 1, max: 10_000 }).default(100)],
  },
  ({ memoryCost, timeCost, parallelism, hashConcurrency = spareCores, ...rules }) => ({
    ...rules,
    argon2: { memoryCost, timeCost, parallelism },
    hashConcurrency,
  }),
)
