import { availableParallelism } from 'node:os'
import { flag, settings, wholeNumber } from './types.ts'

/** Leaves one core for other requests. libuv has four threads. */
const spareCores = Math.min(4, Math.max(1, availableParallelism() - 1))

/** Password rules and hashing. */
export const credentials = settings(
  {
    /** Minimum length of a new password in characters. */
    minLength: ['PASSWORD_MIN_LENGTH', wholeNumber({ min: 8, max: 64 }).default(8)],
    /** Require an uppercase letter, a lowercase letter and a digit in new passwords. */
    composition: ['PASSWORD_COMPOSITION', flag().default(true)],
    /** Work factor of bcrypt. Each step doubles the time. */
    bcryptCost: ['BCRYPT_COST', wholeNumber({ min: 10, max: 16 }).default(12)],
    /** Hashes computed at the same time, one core each. Empty: all cores but one, at most 4. Above 4, set UV_THREADPOOL_SIZE. */
    hashConcurrency: ['HASH_CONCURRENCY', wholeNumber({ min: 1, max: 16 }).optional()],
    /** Hashes that may wait; further requests get 503, and a client with a quarter of the queue gets 429. */
    hashQueue: ['HASH_QUEUE', wholeNumber({ min: 1, max: 10_000 }).default(100)],
  },
  ({ hashConcurrency = spareCores, ...rules }) => ({ ...rules, hashConcurrency }),
)
