import { createHash, createHmac, randomBytes } from 'node:crypto'
import { and, eq, gt, inArray } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { tokens } from '../db/schema/tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import type { HashWithKeys, KeyRing } from '../keys.ts'
import { lockUser, type User } from '../users/users.ts'
import { giveUpEmails } from './outbox.ts'

/** Tokens in emailed links, which prove that a user owns an address: single use, one valid token per user and kind. */

/** The purpose of an emailed token: `verification`, `reset`, or one of an addition. */
export type EmailTokenKind = string

/** Creates a token for a link: 256 random bits in base64url. Only its hash is stored. */
export function createEmailToken(keys: KeyRing): { text: string; hash: string } {
  const text = randomBytes(32).toString('base64url')
  const [hash] = emailTokenHashes(text, keys)
  return { text, hash }
}

/** SHA-256 without a key is enough for 256 random bits: they cannot be guessed offline. */
export const emailTokenHashes: HashWithKeys = (text) => [createHash('sha256').update(text).digest('hex')]

/** Those of a token that undoes a change of the address: also of a code from before a switch of the profile. */
export const undoTokenHashes: HashWithKeys = (text, keys) => {
  const code = text.replaceAll('-', '')
  return [
    ...emailTokenHashes(text, keys),
    ...keys.map((key) => createHmac('sha256', key).update(code).digest('hex')),
  ]
}

/** Stores a new token for a user whose row is locked, and revokes older ones, so that old emails are useless. */
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
  await tx.insert(tokens).values({ userId, token: hash, tokenType: kind, createdAt, expiresAt })
}

/** Revokes emailed tokens of a user, and gives up the emails with them that are not sent yet. Default: of every kind */
export async function revokeEmailTokens(
  ctx: Context,
  tx: Transaction,
  userId: number,
  kinds: EmailTokenKind[] = Object.keys(ctx.tokenEmails),
): Promise<void> {
  await tx.delete(tokens).where(and(eq(tokens.userId, userId), inArray(tokens.tokenType, kinds)))
  await giveUpEmails(ctx, tx, userId, kinds)
}

/** Finds a token without consuming it. Undefined if it cannot be redeemed. */
export async function findEmailToken(
  { keys, now }: Context,
  db: Reader,
  kind: EmailTokenKind,
  text: string,
): Promise<{ id: number; userId: number; createdAt: Date } | undefined> {
  const isToken = inArray(tokens.token, emailTokenHashes(text, keys.emailTokens))
  const isLive = gt(tokens.expiresAt, new Date(now()))
  const [token] = await db
    .select()
    .from(tokens)
    .where(and(isToken, eq(tokens.tokenType, kind), isLive))
  return token
}

/**
 * Consumes a token. Finds it again after locking the user's row, so that only one of several uses succeeds.
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

/** @returns whether the token still existed */
async function consume(tx: Transaction, id: number): Promise<boolean> {
  const consumed = await tx.delete(tokens).where(eq(tokens.id, id)).returning({ id: tokens.id })
  return consumed.length === 1
}
