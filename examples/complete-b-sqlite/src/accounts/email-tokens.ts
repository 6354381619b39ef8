import type { Config } from '../config.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { createEmailToken, hashEmailToken } from './email-token-format.ts'
import { emailTokenHashes } from './email-token-hashes.ts'
import {
  consumeEmailToken,
  type EmailTokenKind,
  findEmailToken,
  type StoredEmailToken,
  storeEmailToken,
} from './email-token-store.ts'
import type { KeyRing } from './keys.ts'
import { lockUser, type User } from './users.ts'

export type EmailTokens = ReturnType<typeof createEmailTokens>

/** Tokens that are mailed to prove that somebody reads an address: single use, one live per user and kind. */
export function createEmailTokens(settings: Config['mail'], keys: KeyRing, now: () => number) {
  const lifetime = { verification: settings.verificationSeconds, reset: settings.resetSeconds }

  return {
    /** Makes a token for a user whose row is locked; older ones are void. @returns its text, which is stored nowhere */
    async issue(tx: Transaction, user: User, kind: EmailTokenKind): Promise<string> {
      const text = createEmailToken()
      const createdAt = new Date(now())
      const expiresAt = new Date(now() + lifetime[kind] * 1000)
      await storeEmailToken(tx, user.id, kind, hashEmailToken(text, keys), createdAt, expiresAt)
      return text
    },

    /** The token, without using it up. @throws ApiError invalid_or_expired_token */
    async find(db: Reader, kind: EmailTokenKind, text: string): Promise<StoredEmailToken> {
      const token = await findEmailToken(db, kind, emailTokenHashes(text, keys), now())
      if (!token) throw new ApiError('invalid_or_expired_token')
      return token
    },

    /**
     * Uses a token up. Of many uses at once one succeeds: it locks the user's row and looks again.
     * @returns the row of its user, locked
     * @throws ApiError invalid_or_expired_token; also for a deactivated user
     */
    async redeem(tx: Transaction, kind: EmailTokenKind, text: string): Promise<User> {
      const { userId } = await this.find(tx, kind, text)
      const user = await lockUser(tx, userId)
      const { id } = await this.find(tx, kind, text)
      if (!user?.isActive || !(await consumeEmailToken(tx, id)))
        throw new ApiError('invalid_or_expired_token')
      return user
    },
  }
}
