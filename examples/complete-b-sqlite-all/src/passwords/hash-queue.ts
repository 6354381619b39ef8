import { ApiError } from '../errors/api-error.ts'
import { networksOf } from '../limits/address-limit.ts'
import { createTurns } from '../limits/turns.ts'

/**
 * Runs hashing work as soon as a place is free.
 * @param address IP address of the client. Work without one (commands) has no share
 * @throws ApiError too_many_requests if the client has its share of the queue, unavailable if the queue is full
 */
export interface HashQueue {
  <Result>(work: () => Promise<Result>, address?: string): Promise<Result>
  /** How much work runs and waits now. */
  counts(): { running: number; waiting: number }
}

interface HashQueueOptions {
  concurrency: number
  maxWaiting: number
  /** Whether a client may only have a share of the queue. */
  hasShares: boolean
}

/** Seconds until a refused client should try again, and the event. */
const refusal = { retryAfter: 2, log: { event: 'limit.reached', limit: 'hash queue' } }

/**
 * Limits concurrent hashes. Each takes a core for about 0.1 s, and argon2 also 64 MiB: without a limit, a few hundred
 * concurrent logins would exhaust the memory. Clients take turns and have at most a quarter of the queue: otherwise
 * one client could make everyone else wait, or fill it.
 */
export function createHashQueue({ concurrency, maxWaiting, hasShares }: HashQueueOptions): HashQueue {
  const share = Math.max(4, Math.floor(maxWaiting / 4))
  // Half for an IPv6 /48. Not for a /56: one customer of a provider may have it, and would use up the half of the others.
  const widestShare = Math.max(share, Math.floor(maxWaiting / 2))
  const shareOf = ({ times }: { times: number }) => (times > 4 ? widestShare : share)
  /** How much work of a network waits or runs. */
  const inQueue = new Map<string, number>()
  /** Each starts waiting work. */
  const turns = createTurns<() => void>()
  let running = 0
  let waiting = 0

  /** Resolves when there is a place. */
  async function takePlace(address: string): Promise<void> {
    if (running < concurrency) {
      running += 1
      return
    }
    if (waiting >= maxWaiting) throw new ApiError('unavailable', refusal)
    waiting += 1
    await new Promise<void>((start) => turns.add(address, start))
  }

  /** Hands the place to the next client. */
  function leavePlace(): void {
    const start = turns.next()
    if (start) waiting -= 1
    else running -= 1
    start?.()
  }

  const run = async <Result>(work: () => Promise<Result>, address?: string): Promise<Result> => {
    const networks = address === undefined || !hasShares ? [] : networksOf(address)
    const count = (network: string) => inQueue.get(network) ?? 0
    if (networks.some((each) => count(each.network) >= shareOf(each)))
      throw new ApiError('too_many_requests', refusal)
    for (const { network } of networks) inQueue.set(network, count(network) + 1)
    try {
      await takePlace(address ?? '')
      try {
        return await work()
      } finally {
        leavePlace()
      }
    } finally {
      for (const { network } of networks) {
        if (count(network) > 1) inQueue.set(network, count(network) - 1)
        else inQueue.delete(network)
      }
    }
  }
  return Object.assign(run, { counts: () => ({ running, waiting }) })
}
