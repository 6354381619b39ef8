import pLimit from 'p-limit'
import { ApiError } from '../errors.ts'

/** Runs a piece of hashing work when its turn comes. */
export type HashQueue = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * A hash takes a core for a tenth of a second, and argon2 64 MiB on top: without a bound, a few hundred logins sent at
 * once would exhaust the memory and keep everybody waiting. Beyond the queue a request is told to come back.
 */
export function createHashQueue(concurrency: number, maxWaiting: number): HashQueue {
  const limit = pLimit(concurrency)
  return async (work) => {
    if (limit.pendingCount >= maxWaiting) throw new ApiError('unavailable', { retryAfter: 2 })
    return limit(work)
  }
}
