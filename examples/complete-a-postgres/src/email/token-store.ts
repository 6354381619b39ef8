import { createHash, randomBytes } from 'node:crypto'
import { and, eq, gt, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../db/database.ts'
import { tokens } from '../db/schema/tokens.ts'
import type { HashWithKeys } from '../sessions/keys.ts'

/** The purpose of an emailed token. */
export type EmailTokenKind = 'verification' | 'reset'

export type StoredEmailToken = Pick<typeof tokens.$inferSelect, 'id' | 'userId'>

type NewEmailToken = Pick<typeof tokens.$inferSelect, 'userId' | 'createdAt' | 'expiresAt'> & {
  kind: EmailTokenKind
  hash: string
}

/** Stores the hash of a new token. */
export async function storeEmailToken(tx: Transaction, { kind, hash, ...row }: NewEmailToken): Promise<void> {
  await tx.insert(tokens).values({ ...row, token: hash, tokenType: kind })
}

/** Finds a valid token of this kind by its possible hashes. */
export async function findEmailToken(
  db: Reader,
  kind: EmailTokenKind,
  hashes: string[],
  now: number,
): Promise<StoredEmailToken | undefined> {
  const [token] = await db
    .select({ id: tokens.id, userId: tokens.userId })
    .from(tokens)
    .where(
      and(inArray(tokens.token, hashes), eq(tokens.tokenType, kind), gt(tokens.expiresAt, new Date(now))),
    )
  return token
}

/** Consumes a token. @returns whether it still existed */
export async function consumeEmailToken(tx: Transaction, id: number): Promise<boolean> {
  const consumed = await tx.delete(tokens).where(eq(tokens.id, id)).returning({ id: tokens.id })
  return consumed.length === 1
}

/** Revokes the emailed tokens of a user. */
export async function revokeEmailTokens(
  tx: Transaction,
  userId: number,
  kinds: EmailTokenKind[],
): Promise<void> {
  await tx.delete(tokens).where(and(eq(tokens.userId, userId), inArray(tokens.tokenType, kinds)))
}

/** Creates a token for a link: 256 random bits in base64url. */
export const createEmailToken = (): string => randomBytes(32).toString('base64url')

/** SHA-256 without a key is enough for 256 random bits: they cannot be guessed offline. */
export const emailTokenHashes: HashWithKeys = (text) => [createHash('sha256').update(text).digest('hex')]
