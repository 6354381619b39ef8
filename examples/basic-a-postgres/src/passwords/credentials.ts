import type { Config } from '../config.ts'
import { ApiError } from '../errors/api-error.ts'
import { clientOf } from '../limits/address-limit.ts'
import { dummyHash, hashPassword, isCurrentHash, isUsableHash, verifyHash } from './hashes.ts'
import { isHashable, normalizePassword, type ProposedPassword } from './rules.ts'

export type Credentials = ReturnType<typeof createCredentials>

/** The hash functions. Tests replace them to count or delay the work. */
export interface Hashing {
  hash: typeof hashPassword
  verify: typeof verifyHash
}

/**
 * Hashes and verifies passwords off the event loop, with a limit on concurrent work. `address` is the client's IP
 * address. Its share of the queue is limited.
 */
export function createCredentials(
  config: Config,
  { hash, verify }: Hashing = { hash: hashPassword, verify: verifyHash },
) {
  const { credentials: settings, rateLimits } = config
  const queue = createHashQueue(settings.hashConcurrency, settings.hashQueue, rateLimits.enabled)
  const dummy = dummyHash(settings)

  const credentials = {
    /** Called with every new password that meets the rules. An addition can refuse it. */
    validateNew(_proposed: ProposedPassword): void {},

    /** Where all hashing runs, and how much of it runs and waits now. */
    queue,

    /** Whether a stored hash can be verified, and whether a password matches it: as it is, and outside the queue. */
    isUsable: isUsableHash,
    verifyHash: verify,

    /** Whether a password, as typed, matches such a hash. */
    matches: (password: string, hash: string, address?: string): Promise<boolean> =>
      queue(() => verify(normalizePassword(password), hash), address),

    /** @throws ApiError unavailable, too_many_requests */
    hash: (password: string, address?: string): Promise<string> =>
      queue(() => hash(normalizePassword(password), settings), address),

    /**
     * Whether the password matches the hash. Without a usable hash (no such user, or a damaged row) it verifies against
     * a dummy with the same parameters: otherwise the response time would reveal which names exist.
     * @throws ApiError unavailable, too_many_requests
     */
    async verify(password: string, storedHash: string | undefined, address?: string): Promise<boolean> {
      const usable = storedHash !== undefined && credentials.isUsable(storedHash) ? storedHash : undefined
      const checked = usable ?? dummy
      const matches = await credentials.matches(password, checked, address)
      return matches && usable !== undefined
    },

    /** Whether a verified password needs a new hash: another algorithm, or weaker than the current settings. */
    needsRehash: (password: string, storedHash: string): boolean =>
      !isCurrentHash(storedHash, settings) && isHashable(normalizePassword(password)),
  }
  return credentials
}

/** Seconds until a refused client should try again, and the event. */
const refusal = { retryAfter: 2, log: { event: 'limit.reached', limit: 'hash queue' } }

/**
 * Limits concurrent hashes. Each takes a core for about 0.1 s, and argon2 also 64 MiB: without a limit, a few hundred
 * concurrent logins would exhaust the memory. Clients take turns and have at most a quarter of the queue: otherwise
 * one client could make everyone else wait, or fill it.
 * @param hasShares whether a client may only have a share of the queue
 */
export function createHashQueue(concurrency: number, maxWaiting: number, hasShares: boolean) {
  const share = Math.max(4, Math.floor(maxWaiting / 4))
  /** In the order of their last turns, the longest ago first. `places`: how much work of the client runs and waits. */
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
