import { and, eq, gt, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../db/database.ts'
import { verificationCodes } from '../db/schema/verification-codes.ts'

/** The purpose of a mailed code. */
export type EmailTokenKind = 'verification' | 'reset'

const codeTypes = { verification: 'email_verification', reset: 'password_reset' } as const

export interface StoredEmailToken {
  id: number
  userId: number
}

export interface NewEmailToken {
  userId: number
  kind: EmailTokenKind
  hash: string
  createdAt: Date
  expiresAt: Date
}

/** Stores the hash of a new code. */
export async function storeEmailToken(tx: Transaction, { kind, hash, ...row }: NewEmailToken): Promise<void> {
  await tx.insert(verificationCodes).values({ ...row, code: hash, codeType: codeTypes[kind] })
}

/** Finds a valid code of this kind by its possible hashes. */
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

/** Consumes a code. @returns whether it was unused */
export async function consumeEmailToken(tx: Transaction, id: number): Promise<boolean> {
  const consumed = await tx
    .update(verificationCodes)
    .set({ isUsed: true })
    .where(and(eq(verificationCodes.id, id), eq(verificationCodes.isUsed, false)))
    .returning({ id: verificationCodes.id })
  return consumed.length === 1
}

/** Revokes the codes of a user. Used ones are not written again: each change would cost more than the one before. */
export async function revokeEmailTokens(
  tx: Transaction,
  userId: number,
  kinds: EmailTokenKind[],
): Promise<void> {
  await tx
    .update(verificationCodes)
    .set({ isUsed: true })
    .where(
      and(
        eq(verificationCodes.userId, userId),
        eq(verificationCodes.isUsed, false),
        inArray(
          verificationCodes.codeType,
          kinds.map((kind) => codeTypes[kind]),
        ),
      ),
    )
}
