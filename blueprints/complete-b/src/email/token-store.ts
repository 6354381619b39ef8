import { createHmac, randomInt } from 'node:crypto'
import { and, eq, gt, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../db/database.ts'
import { verificationCodes } from '../db/schema/verification-codes.ts'
import type { HashWithKeys } from '../sessions/keys.ts'

/** The purpose of an emailed code. */
export type EmailTokenKind = 'verification' | 'reset'

const codeTypes = { verification: 'email_verification', reset: 'password_reset' } as const

export type StoredEmailToken = Pick<typeof verificationCodes.$inferSelect, 'id' | 'userId'>

type NewEmailToken = Pick<typeof verificationCodes.$inferSelect, 'userId' | 'createdAt' | 'expiresAt'> & {
  kind: EmailTokenKind
  hash: string
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

/** Crockford's base32: without I, L, O and U, which are easy to misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const codeLength = 16

/** Creates a code to type: 80 random bits, in groups of four characters. */
export function createEmailToken(): string {
  const letters = Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length)))
  return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-')
}

/** HMAC with each key: a plain hash of 80 bits could be searched offline. */
export const emailTokenHashes: HashWithKeys = (text, [key, ...previousKeys]) => {
  const code = canonical(text)
  const hash = (key: Buffer) => createHmac('sha256', key).update(code).digest('hex')
  return [hash(key), ...previousKeys.map(hash)]
}

/** Normalizes a typed code: any case, with or without spaces and hyphens, O for 0, I and L for 1. ASCII only. */
const canonical = (text: string): string =>
  text
    .replaceAll(/[ -]/g, '')
    .replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
