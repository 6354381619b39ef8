import { inArray } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'
import { giveUpUnsent } from '../db/unsent-emails.ts'
import { ApiError } from '../errors/api-error.ts'
import type { KeyRing } from '../keys.ts'
import { lockUser, type User } from '../users/users.ts'
import { createEmailToken, emailTokenHashes } from './format.ts'
import {
  consumeEmailToken,
  type EmailTokenKind,
  findEmailToken,
  revokeEmailTokens,
  type StoredEmailToken,
  storeEmailToken,
} from './store.ts'

/** The hashes that a stored token may have. */
export function possibleHashes(text: string, keys: KeyRing): string[] {
  const hashes = emailTokenHashes(text, keys)
  return hashes
}

/** The `priority` in the outbox of the emails with a token of each kind. */
const priorities = { reset: 0, verification: 1 }

const kinds: EmailTokenKind[] = ['reset', 'verification']

/** Revokes the emailed tokens of a user, and gives up the emails with them that are not sent yet. */
export async function voidEmailTokens(tx: Transaction, userId: number, which = kinds): Promise<void> {
  await revokeEmailTokens(tx, userId, which)
  const ofKinds = which.map((kind) => priorities[kind])
  await giveUpUnsent(tx, userId, inArray(outbox.priority, ofKinds))
}

export type EmailTokens = ReturnType<typeof createEmailTokens>

/** Mailed tokens, which prove that a user owns an address: single use, one valid token per user and kind. */
export function createEmailTokens(settings: Config['email'], keys: KeyRing, now: () => number) {
  const lifetime = { verification: settings.verificationSeconds, reset: settings.resetSeconds }

  const lookUp = (db: Reader, kind: EmailTokenKind, text: string) =>
    findEmailToken(db, kind, possibleHashes(text, keys), now())

  /** Finds a token without consuming it. @throws ApiError invalid_or_expired_token */
  async function find(db: Reader, kind: EmailTokenKind, text: string): Promise<StoredEmailToken> {
    const token = await lookUp(db, kind, text)
    if (!token) throw new ApiError('invalid_or_expired_token')
    return token
  }

  /** A new token and its hash, which is stored. */
  function create() {
    const text = createEmailToken()
    const [hash] = emailTokenHashes(text, keys)
    return { text, hash }
  }

  return {
    create,
    find,

    /** Whether a token of this kind can be redeemed. */
    isLive: async (db: Reader, kind: EmailTokenKind, text: string) =>
      (await lookUp(db, kind, text)) !== undefined,

    /** The hashes that a stored token may have. */
    hashes: (text: string) => possibleHashes(text, keys),

    /**
     * Creates a token for a user whose row is locked, and voids older ones, so that old emails are useless.
     * @returns the token, which is stored as a hash
     */
    async issue(tx: Transaction, user: User, kind: EmailTokenKind): Promise<string> {
      const { text, hash } = create()
      const createdAt = new Date(now())
      const expiresAt = new Date(now() + lifetime[kind] * 1000)
      await voidEmailTokens(tx, user.id, [kind])
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
