import pLimit from 'p-limit'
import { ApiError } from '../errors.ts'

/** Runs hashing work as soon as the limit allows. @throws ApiError unavailable if the queue is full */
export type HashQueue = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Limits concurrent hashes. Each takes a core for about 0.1 s, and argon2 also 64 MiB: without a limit, a few hundred
 * concurrent logins would exhaust the memory. When the queue is full, requests get 503 with Retry-After.
 */
export function createHashQueue(concurrency: number, maxWaiting: number): HashQueue {
  const limit = pLimit(concurrency)
  return async (work) => {
    if (limit.pendingCount >= maxWaiting) throw new ApiError('unavailable', { retryAfter: 2 })
    return limit(work)
  }
}
