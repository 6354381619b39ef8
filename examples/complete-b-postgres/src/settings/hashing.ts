import { availableParallelism } from 'node:os'
import { wholeNumber } from './types.ts'

/** One core is left to everybody else's requests. libuv has four threads. */
const spareCores = Math.min(4, Math.max(1, availableParallelism() - 1))

/** How many passwords are hashed at a time. Part of the password settings of either profile. */
export const hashing = {
  HASH_CONCURRENCY: wholeNumber({ min: 1, max: 16 })
    .default(spareCores)
    .describe(
      'Hashes computed at the same time, one core each; default: all cores but one, up to 4. Above 4 set UV_THREADPOOL_SIZE too',
    ),
  HASH_QUEUE: wholeNumber({ min: 1, max: 10_000 })
    .default(100)
    .describe('Hashes that may wait for their turn; beyond it requests are answered with 503'),
}
