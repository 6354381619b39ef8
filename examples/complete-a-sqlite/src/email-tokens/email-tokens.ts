import type { Config } from '../config.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { KeyRing } from '../keys.ts'
import { lockUser, type User } from '../users/users.ts'
import { createEmailToken, emailTokenHashes } from './format.ts'
import {
  consumeEmailToken,
  type EmailTokenKind,
  findEmailToken,
  type StoredEmailToken,
  storeEmailToken,
} from './store.ts'

/** The hashes that a stored token may have. */
export function possibleHashes(text: string, keys: KeyRing): string[] {
  const hashes = emailTokenHashes(text, keys)
  return hashes
}

export type EmailTokens = ReturnType<typeof createEmailTokens>

/** Mailed tokens, which prove that a user owns an address: single use, one valid token per user and kind. */
export function createEmailTokens(settings: Config['mail'], keys: KeyRing, now: () => number) {
  const lifetime = { verification: settings.verificationSeconds, reset: settings.resetSeconds }

  /** Finds a token without consuming it. @throws ApiError invalid_or_expired_token */
  async function find(db: Reader, kind: EmailTokenKind, text: string): Promise<StoredEmailToken> {
    const token = await findEmailToken(db, kind, possibleHashes(text, keys), now())
    if (!token) throw new ApiError('invalid_or_expired_token')
    return token
  }

  return {
    find,

    /** Creates a token for a user whose row is locked, and revokes older ones. @returns the token, stored as a hash */
    async issue(tx: Transaction, user: User, kind: EmailTokenKind): Promise<string> {
      const text = createEmailToken()
      const [hash] = emailTokenHashes(text, keys)
      const createdAt = new Date(now())
      const expiresAt = new Date(now() + lifetime[kind] * 1000)
      await storeEmailToken(tx, { userId: user.id, kind, hash, createdAt, expiresAt })
      return text
    },

    /**
     * Consumes a token. Finds it again after locking the user's row, so that only one of several uses succeeds.
     * @returns the locked row of the user
     * @throws ApiError invalid_or_expired_token; also for a deactivated user
     */
    async redeem(tx: Transaction, kind: EmailTokenKind, text: string): Promise<User> {
      const { userId } = await find(tx, kind, text)
      const user = await lockUser(tx, userId)
      const { id } = await find(tx, kind, text)
      if (!user?.isActive || !(await consumeEmailToken(tx, id)))
        throw new ApiError('invalid_or_expired_token')
      return user
    },
  }
}
