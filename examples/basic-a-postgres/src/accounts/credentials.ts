import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import { createHashQueue } from './hash-queue.ts'
import { hashPassword, isCurrentHash, isHashable } from './passwords.ts'
import { verifyHash } from './verify-hash.ts'

export type Credentials = Awaited<ReturnType<typeof createCredentials>>

/**
 * Hashing and verifying passwords, off the event loop and a bounded number at a time.
 *
 * Passwords are brought into NFC first: the same letter typed on two systems can arrive as different code points.
 */
export async function createCredentials(settings: Config['credentials']) {
  const queue = createHashQueue(settings.hashConcurrency, settings.hashQueue)
  const dummyHash = await hashPassword(randomBytes(32).toString('base64url'), settings)

  return {
    /** @throws ApiError unavailable when too many hashes wait already. */
    hash: (password: string): Promise<string> =>
      queue(() => hashPassword(password.normalize('NFC'), settings)),

    /**
     * Whether the password belongs to the hash. Without a hash (no such user) it verifies against a dummy made with the
     * same parameters: otherwise the time of the answer would tell which names exist.
     * @throws ApiError unavailable when too many hashes wait already.
     */
    async verify(password: string, storedHash: string | undefined): Promise<boolean> {
      const matches = await queue(() => verifyHash(password.normalize('NFC'), storedHash ?? dummyHash))
      return matches && storedHash !== undefined
    },

    /** Whether a verified password should be hashed anew: another algorithm, or weaker than today's settings. */
    needsRehash: (password: string, storedHash: string): boolean =>
      !isCurrentHash(storedHash, settings) && isHashable(password.normalize('NFC')),
  }
}
