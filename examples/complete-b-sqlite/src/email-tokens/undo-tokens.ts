import { and, eq, gt, gte, inArray, or } from 'drizzle-orm'
import type { ExpiredRows } from '../db/batches.ts'
import type { Transaction } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { ApiError } from '../errors.ts'
import type { KeyRing } from '../keys.ts'
import { lockUser, type User } from '../users/users.ts'
import { possibleHashes } from './email-tokens.ts'
import { createEmailToken, emailTokenHashes } from './format.ts'

/** How long a change of the email address can be undone, in milliseconds. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1000

export type UndoTokens = ReturnType<typeof createUndoTokens>

/**
 * Mailed tokens that restore a verified address. Nothing that a thief does revokes them: neither another change, nor a
 * verification of the new address, nor a new password.
 */
export function createUndoTokens(keys: KeyRing, now: () => number) {
  async function find(tx: Transaction, text: string) {
    const isMatch = inArray(emailChanges.token, possibleHashes(text, keys))
    const [found] = await tx
      .select()
      .from(emailChanges)
      .where(and(isMatch, gt(emailChanges.expiresAt, new Date(now()))))
    if (!found) throw new ApiError('invalid_or_expired_token')
    return found
  }

  return {
    /** Creates a token for a user whose row is locked. @param email the verified address that it restores */
    async issue(tx: Transaction, { id: userId }: User, email: string): Promise<string> {
      const text = createEmailToken()
      const [token] = emailTokenHashes(text, keys)
      await tx.insert(emailChanges).values({ userId, email, token, expiresAt: new Date(now() + lifetimeMs) })
      return text
    },

    /**
     * Consumes a token, the others of its address and all that were issued later: those of the thief's addresses would
     * undo the undoing.
     * @returns the locked row of the user, and the address to restore
     * @throws ApiError invalid_or_expired_token; also for a deactivated user
     */
    async redeem(tx: Transaction, text: string): Promise<{ user: User; email: string }> {
      const user = await lockUser(tx, (await find(tx, text)).userId)
      // Again, now that no concurrent use can consume it.
      const { id, userId, email } = await find(tx, text)
      if (!user?.isActive) throw new ApiError('invalid_or_expired_token')
      const isConsumed = or(gte(emailChanges.id, id), eq(emailChanges.email, email))
      await tx.delete(emailChanges).where(and(eq(emailChanges.userId, userId), isConsumed))
      return { user, email }
    },
  }
}

export const expiredUndoTokens = (now: number): ExpiredRows => ({
  table: emailChanges,
  key: emailChanges.id,
  time: emailChanges.expiresAt,
  before: new Date(now),
})
