import { and, eq, gt, inArray, lt } from 'drizzle-orm'
import type { Reader, Transaction } from '../db/database.ts'
import { verificationCodes } from '../db/schema/verification-codes.ts'

/** What a mailed code is for. */
export type EmailTokenKind = 'verification' | 'reset'

const codeTypes = { verification: 'email_verification', reset: 'password_reset' } as const

export interface StoredEmailToken {
  id: number
  userId: number
}

/** Stores the hash of a new code. Older ones of this user and kind are void: an old mail in a mailbox opens nothing. */
export async function storeEmailToken(
  tx: Transaction,
  userId: number,
  kind: EmailTokenKind,
  hash: string,
  createdAt: Date,
  expiresAt: Date,
): Promise<void> {
  await voidEmailTokens(tx, userId, [kind])
  await tx
    .insert(verificationCodes)
    .values({ userId, code: hash, codeType: codeTypes[kind], createdAt, expiresAt })
}

/** A code of this kind that is neither expired nor used, by the hashes that it may have. */
export async function findEmailToken(
  db: Reader,
  kind: EmailTokenKind,
  hashes: string[],
  now: number,
): Promise<StoredEmailToken | undefined> {
  const [code] = await db
    .select({ id: verificationCodes.id, userId: verificationCodes.userId })
    .from(verificationCodes)
    .where(
      and(
        inArray(verificationCodes.code, hashes),
        eq(verificationCodes.codeType, codeTypes[kind]),
        eq(verificationCodes.isUsed, false),
        gt(verificationCodes.expiresAt, new Date(now)),
      ),
    )
  return code
}

/** Uses a code up. @returns whether it was unused */
export async function consumeEmailToken(tx: Transaction, id: number): Promise<boolean> {
  const consumed = await tx
    .update(verificationCodes)
    .set({ isUsed: true })
    .where(and(eq(verificationCodes.id, id), eq(verificationCodes.isUsed, false)))
    .returning({ id: verificationCodes.id })
  return consumed.length === 1
}

/** Voids what was mailed to a user. */
export async function voidEmailTokens(
  tx: Transaction,
  userId: number,
  kinds: EmailTokenKind[] = ['verification', 'reset'],
): Promise<void> {
  await tx
    .update(verificationCodes)
    .set({ isUsed: true })
    .where(
      and(
        eq(verificationCodes.userId, userId),
        inArray(
          verificationCodes.codeType,
          kinds.map((kind) => codeTypes[kind]),
        ),
      ),
    )
}

/** Deletes what has expired, as many as `limit`. @returns how many */
export async function purgeEmailTokens(tx: Transaction, now: number, limit: number): Promise<number> {
  const { id, expiresAt } = verificationCodes
  const expired = tx
    .select({ id })
    .from(verificationCodes)
    .where(lt(expiresAt, new Date(now)))
    .orderBy(expiresAt)
    .limit(limit)
  return (await tx.delete(verificationCodes).where(inArray(id, expired)).returning({ id })).length
}
