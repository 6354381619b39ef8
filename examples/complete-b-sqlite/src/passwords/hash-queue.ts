import { ApiError } from '../errors/api-error.ts'
import { clientOf } from '../limits/address-limit.ts'

/** `hasShares`: whether a client may only have a share of the queue. */
type Options = { concurrency: number; maxWaiting: number; hasShares: boolean }

/** Seconds until a refused client should try again, and the event. */
const refusal = { retryAfter: 2, log: { event: 'limit.reached', limit: 'hash queue' } }

/**
 * Limits concurrent hashes. Each takes a core for about 0.1 s, and argon2 also 64 MiB: without a limit, a few hundred
 * concurrent logins would exhaust the memory. Clients take turns and have at most a quarter of the queue: otherwise
 * one client could make everyone else wait, or fill it.
 */
export function createHashQueue({ concurrency, maxWaiting, hasShares }: Options) {
  const share = Math.max(4, Math.floor(maxWaiting / 4))
  /** First comes the client whose last turn is longest ago. `places`: its running and waiting work. */
  const clients = new Map<string, { places: number; waiting: (() => void)[] }>()
  let [running, waiting] = [0, 0]

  /** Starts the work of the next client in a place that is free. */
  function startNext(): void {
    for (const [name, client] of clients) {
      const start = client.waiting.shift()
      if (!start) continue
      clients.delete(name)
      clients.set(name, client)
      waiting -= 1
      start()
      return
    }
    running -= 1
  }

  /**
   * Runs hashing work as soon as a place is free.
   * @param address IP address of the client. Work without one (commands) has no share
   * @throws ApiError too_many_requests if the client has its share of the queue, unavailable if the queue is full
   */
  async function run<Result>(work: () => Promise<Result>, address?: string): Promise<Result> {
    const name = address === undefined ? '' : clientOf(address)
    const client = clients.get(name) ?? { places: 0, waiting: [] }
    if (hasShares && name !== '' && client.places >= share) throw new ApiError('too_many_requests', refusal)
    if (running >= concurrency && waiting >= maxWaiting) throw new ApiError('unavailable', refusal)
    clients.set(name, client)
    client.places += 1
    try {
      if (running < concurrency) running += 1
      else {
        waiting += 1
        await new Promise<void>((start) => client.waiting.push(start))
      }
      return await work()
    } finally {
      client.places -= 1
      if (client.places === 0) clients.delete(name)
      startNext()
    }
  }
  return Object.assign(run, { counts: () => ({ running, waiting }) })
}
