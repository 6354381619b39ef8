import { inArray } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { giveUpUnsent } from '../users/emails.ts'
import { lockUser, type User } from '../users/users.ts'
import {
  consumeEmailToken,
  createEmailToken,
  type EmailTokenKind,
  emailTokenHashes,
  findEmailToken,
  revokeEmailTokens,
  type StoredEmailToken,
  storeEmailToken,
} from './token-store.ts'

/** Emailed tokens, which prove that a user owns an address: single use, one valid token per user and kind. */

/** A new token and its hash, which is stored. */
export function newEmailToken({ keys }: Context): { text: string; hash: string } {
  const text = createEmailToken()
  const [hash] = emailTokenHashes(text, keys.emailTokens)
  return { text, hash }
}

/** The hashes that a stored token may have. */
export function possibleHashes({ keys }: Context, text: string): string[] {
  const hashes = emailTokenHashes(text, keys.emailTokens)
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

/** Stores a new token for a user whose row is locked, and voids older ones, so that old emails are useless. */
export async function replaceEmailToken(
  { config, now }: Context,
  tx: Transaction,
  { id: userId }: User,
  kind: EmailTokenKind,
  hash: string,
): Promise<void> {
  const { resetSeconds, verificationSeconds } = config.email
  const seconds = kind === 'reset' ? resetSeconds : verificationSeconds
  const [createdAt, expiresAt] = [new Date(now()), new Date(now() + seconds * 1000)]
  await voidEmailTokens(tx, userId, [kind])
  await storeEmailToken(tx, { userId, kind, hash, createdAt, expiresAt })
}

/** Finds a token without consuming it. Undefined if it cannot be redeemed. */
export const findToken = (
  ctx: Context,
  db: Reader,
  kind: EmailTokenKind,
  text: string,
): Promise<StoredEmailToken | undefined> => findEmailToken(db, kind, possibleHashes(ctx, text), ctx.now())

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
  const found = await findToken(ctx, tx, kind, text)
  const user = found && (await lockUser(tx, found.userId))
  const token = await findToken(ctx, tx, kind, text)
  if (!user?.isActive || !token || !(await consumeEmailToken(tx, token.id)))
    throw new ApiError('invalid_or_expired_token')
  return user
}
