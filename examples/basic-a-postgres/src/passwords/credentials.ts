import type { Config } from '../config.ts'
import * as formats from './formats/index.ts'
import { createHashQueue } from './hash-queue.ts'
import {
  dummyHash,
  type ForeignHashes,
  formatOf,
  type HashFormat,
  hashPassword,
  isCurrentHash,
  isUsableHash,
  verifyHash,
} from './hashes.ts'
import { isHashable, normalizePassword, type PasswordValidator, type ProposedPassword } from './rules.ts'
import * as listed from './validators/index.ts'

export type Credentials = Awaited<ReturnType<typeof createCredentials>>

/** The hash functions. Tests replace them to count or delay the work. */
export interface Hashing {
  hash: typeof hashPassword
  verify: typeof verifyHash
}

/**
 * Hashes and verifies passwords off the event loop, with a limit on concurrent work. `address` is the client's IP
 * address. Its share of the queue is limited.
 */
export async function createCredentials(
  config: Config,
  { hash, verify }: Hashing = { hash: hashPassword, verify: verifyHash },
) {
  const { credentials: settings, rateLimits } = config
  const queue = createHashQueue({
    concurrency: settings.hashConcurrency,
    maxWaiting: settings.hashQueue,
    hasShares: rateLimits.enabled,
  })
  const validators = Object.values<PasswordValidator>(listed)
  const validations = await Promise.all(validators.map((validator) => validator.create(config)))
  const dummy = dummyHash(settings)
  const foreign = new Map<HashFormat | undefined, ForeignHashes>()
  for (const format of Object.values<HashFormat>(formats)) foreign.set(format, format.create(config))

  return {
    /** Call this with every new password. @throws ApiError of the validator that refuses it */
    validateNew(proposed: ProposedPassword): void {
      for (const validate of validations) validate(proposed)
    },

    /** How many hashes run and wait now, for whoever watches the load. */
    queueCounts: queue.counts,

    /** @throws ApiError unavailable, too_many_requests */
    hash: (password: string, address?: string): Promise<string> =>
      queue(() => hash(normalizePassword(password), settings), address),

    /**
     * Whether the password matches the hash. Without a usable hash (no such user, or a damaged row) it verifies against
     * a dummy with the same parameters: otherwise the response time would reveal which names exist.
     * @throws ApiError unavailable, too_many_requests
     */
    async verify(password: string, storedHash: string | undefined, address?: string): Promise<boolean> {
      const usable = storedHash !== undefined && isUsableHash(storedHash) ? storedHash : undefined
      const checked = usable ?? dummy
      const hashes = foreign.get(formatOf(checked))
      let ms = 0
      const timed = (work: () => Promise<boolean>) =>
        queue(async () => {
          const startedAt = performance.now()
          const isRight = await work()
          ms += performance.now() - startedAt
          return isRight
        }, address)
      const matches = await timed(
        () => hashes?.verify(password, checked) ?? verify(normalizePassword(password), checked),
      )
      for (const { pace } of foreign.values()) await pace(checked, ms)
      return matches && usable !== undefined
    },

    /** Whether a verified password needs a new hash: another algorithm, or weaker than the current settings. */
    needsRehash: (password: string, storedHash: string): boolean =>
      !isCurrentHash(storedHash, settings) && isHashable(normalizePassword(password)),
  }
}
