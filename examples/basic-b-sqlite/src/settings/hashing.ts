import { wholeNumber } from './types.ts'

/** How many passwords are hashed at a time. Part of the password settings of either profile. */
export const hashing = {
  HASH_CONCURRENCY: wholeNumber({ min: 1, max: 16 })
    .default(2)
    .describe('Hashes computed at the same time, one core each; above 4 set UV_THREADPOOL_SIZE too'),
  HASH_QUEUE: wholeNumber({ min: 1, max: 10_000 })
    .default(100)
    .describe('Hashes that may wait for their turn; beyond it requests are answered with 503'),
}
