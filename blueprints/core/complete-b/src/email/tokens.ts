import { createHash, createHmac, randomInt } from 'node:crypto'
import { and, eq, gt, inArray } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { verificationCodes } from '../db/schema/verification-codes.ts'
import { ApiError } from '../errors/api-error.ts'
import type { HashWithKeys, KeyRing } from '../keys.ts'
import { lockUser, type User } from '../users/users.ts'
import { giveUpEmails } from './outbox.ts'

/** Emailed codes, which prove that a user owns an address: single use, one valid code per user and kind. */

/** The purpose of an emailed code: `verification`, `reset`, or one of an addition. */
export type EmailTokenKind = string

/** The `code_type` of a kind. */
const codeType = (kind: EmailTokenKind): string =>
  ({ verification: 'email_verification', reset: 'password_reset' })[kind] ?? kind

/** Crockford's base32: without I, L, O and U, which are easy to misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const codeLength = 16

/** Creates a code to type: 80 random bits, in groups of four characters. Only its hash is stored. */
export function createEmailToken(keys: KeyRing): { text: string; hash: string } {
  const letters = Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length)))
  const text = letters.join('').replaceAll(/.{4}(?=.)/g, '$&-')
  const [hash] = emailTokenHashes(text, keys)
  return { text, hash }
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

/** Those of a code that undoes a change of the address: also of a link from before a switch of the profile. */
export const undoTokenHashes: HashWithKeys = (text, keys) => [
  ...emailTokenHashes(text, keys),
  createHash('sha256').update(text).digest('hex'),
]

/** Stores a new code for a user whose row is locked, and revokes older ones, so that old emails are useless. */
export async function replaceEmailToken(
  ctx: Context,
  tx: Transaction,
  { id: userId }: User,
  kind: EmailTokenKind,
  hash: string,
  seconds = ctx.config.email.resetSeconds,
): Promise<void> {
  const createdAt = new Date(ctx.now())
  const expiresAt = new Date(ctx.now() + seconds * 1000)
  await revokeEmailTokens(ctx, tx, userId, [kind])
  await tx
    .insert(verificationCodes)
    .values({ userId, code: hash, codeType: codeType(kind), createdAt, expiresAt })
}

/**
 * Revokes emailed codes of a user, and gives up the emails with them that are not sent yet. Used codes are not written
 * again: each change would cost more than the one before.
 * @param kinds Default: every kind
 */
export async function revokeEmailTokens(
  ctx: Context,
  tx: Transaction,
  userId: number,
  kinds: EmailTokenKind[] = Object.keys(ctx.tokenEmails),
): Promise<void> {
  const isUnused = and(eq(verificationCodes.userId, userId), eq(verificationCodes.isUsed, false))
  await tx
    .update(verificationCodes)
    .set({ isUsed: true })
    .where(and(isUnused, inArray(verificationCodes.codeType, kinds.map(codeType))))
  await giveUpEmails(ctx, tx, userId, kinds)
}

/** Finds a code without consuming it. Undefined if it cannot be redeemed. */
export async function findEmailToken(
  { keys, now }: Context,
  db: Reader,
  kind: EmailTokenKind,
  text: string,
): Promise<{ id: number; userId: number; createdAt: Date } | undefined> {
  const [code] = await db
    .select()
    .from(verificationCodes)
    .where(
      and(
        inArray(verificationCodes.code, emailTokenHashes(text, keys.emailTokens)),
        eq(verificationCodes.codeType, codeType(kind)),
        eq(verificationCodes.isUsed, false),
        gt(verificationCodes.expiresAt, new Date(now())),
      ),
    )
  return code
}

/**
 * Consumes a code. Finds it again after locking the user's row, so that only one of several uses succeeds.
 * @returns the locked row of the user
 * @throws ApiError invalid_or_expired_token; also for a deactivated user
 */
export async function redeemEmailToken(
  ctx: Context,
  tx: Transaction,
  kind: EmailTokenKind,
  text: string,
): Promise<User> {
  const found = await findEmailToken(ctx, tx, kind, text)
  const user = found && (await lockUser(tx, found.userId))
  const token = await findEmailToken(ctx, tx, kind, text)
  if (!user?.isActive || !token || !(await consume(tx, token.id)))
    throw new ApiError('invalid_or_expired_token')
  return user
}

/** @returns whether the code was unused */
async function consume(tx: Transaction, id: number): Promise<boolean> {
  const consumed = await tx
    .update(verificationCodes)
    .set({ isUsed: true })
    .where(and(eq(verificationCodes.id, id), eq(verificationCodes.isUsed, false)))
    .returning({ id: verificationCodes.id })
  return consumed.length === 1
}
