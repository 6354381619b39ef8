import { and, eq, gte } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { recoveryCodes } from '../db/schema/recovery-codes.ts'
import { type OutgoingEmail, shownName } from '../email/outbox.ts'
import * as list from '../factors/index.ts'
import type { User } from '../users/users.ts'

/** A second factor. Each file of src/factors/ exports one, under its own name. */
export interface Factor {
  /** How answers name it to the client, which asks the user for it. */
  name: string
  /** Whether a login by password, by a provider or by an emailed token asks for a second factor because of it. */
  asks: boolean
  /** How many of them a user has. */
  count(db: Reader, userId: number): Promise<number>
  /** What GET auth/mfa says about them. */
  state(count: number): { totp?: boolean; passkeys?: number }
  /** Accepts a code, each once. Without it, the factor has no codes. */
  acceptCode?(ctx: Context, tx: Transaction, userId: number, code: string): Promise<boolean>
  /** @param since only those that were added then or later. Default: all */
  remove(tx: Transaction, userId: number, since?: Date): Promise<unknown>
}

export const factors: Factor[] = Object.values<Factor>(list)

/** The factors that a user has, with their number. */
export async function factorsOf(db: Reader, userId: number): Promise<{ factor: Factor; count: number }[]> {
  const owned: { factor: Factor; count: number }[] = []
  for (const factor of factors) {
    const count = await factor.count(db, userId)
    if (count > 0) owned.push({ factor, count })
  }
  return owned
}

export const hasFactor = async (db: Reader, userId: number): Promise<boolean> =>
  (await factorsOf(db, userId)).length > 0

/**
 * Removes factors of a user whose row is locked, and the recovery codes with the last one: they would let in whoever has
 * found the list.
 * @param which Default: all
 * @param since only what was added then or later
 */
export async function removeFactors(
  tx: Transaction,
  userId: number,
  { which = factors, since }: { which?: Factor[]; since?: Date | undefined } = {},
): Promise<void> {
  for (const factor of which) await factor.remove(tx, userId, since)
  const ofUser = eq(recoveryCodes.userId, userId)
  if (!(await hasFactor(tx, userId))) await tx.delete(recoveryCodes).where(ofUser)
  else if (since) await tx.delete(recoveryCodes).where(and(ofUser, gte(recoveryCodes.createdAt, since)))
}

/** The owner has to know, if it was a thief (ASVS 5.0 section 6.3.7). */
export const factorRemovedNotice = (user: User): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'factor_removed',
  variables: { username: shownName(user) },
})
