import { and, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { ApiError } from '../errors/api-error.ts'
import { lockUser, type User } from '../users/users.ts'
import { newEmailToken, possibleHashes } from './tokens.ts'

const dayMs = 24 * 60 * 60 * 1000

/** How long a change of the email address can be undone, in milliseconds. */
export const undoMs = 7 * dayMs

/** How long later changes can extend that, in milliseconds: a thief must not outlast the token with changes of their own. */
const maxUndoMs = 30 * dayMs

/**
 * Emailed tokens that restore an address that the user had verified. No reset, new password or other change ends them: a
 * thief could otherwise take the way back from the owner.
 */

/** Creates a token for a user whose row is locked. @param email the verified address that it restores */
export async function issueUndoToken(
  ctx: Context,
  tx: Transaction,
  { id: userId }: User,
  email: string,
): Promise<string> {
  const { text, hash: token } = newEmailToken(ctx)
  const expiresAt = new Date(ctx.now() + undoMs)
  const maxExpiresAt = new Date(ctx.now() + maxUndoMs)
  await tx.insert(emailChanges).values({ userId, email, token, expiresAt, maxExpiresAt })
  return text
}

/** A further change: the live tokens of a user last 7 days from now, but at most 30 days from their own change. */
export async function renewUndoTokens({ now }: Context, tx: Transaction, { id }: User): Promise<void> {
  const renewed = new Date(now() + undoMs)
  const live = and(eq(emailChanges.userId, id), gt(emailChanges.expiresAt, new Date(now())))
  await tx.update(emailChanges).set({ expiresAt: renewed }).where(live)
  const beyond = and(eq(emailChanges.userId, id), lt(emailChanges.maxExpiresAt, renewed))
  await tx
    .update(emailChanges)
    .set({ expiresAt: sql`${emailChanges.maxExpiresAt}` })
    .where(and(beyond, gt(emailChanges.expiresAt, emailChanges.maxExpiresAt)))
}

/**
 * Ends the live token of an address to which a user changes back, and those of later changes.
 * @returns whether there was one
 */
export async function endUndoTokensFrom(
  { now }: Context,
  tx: Transaction,
  { id }: User,
  email: string,
): Promise<boolean> {
  const ofUser = eq(emailChanges.userId, id)
  const isLive = gt(emailChanges.expiresAt, new Date(now()))
  const [back] = await tx
    .select({ id: emailChanges.id })
    .from(emailChanges)
    .where(and(ofUser, isLive, eq(emailChanges.email, email)))
  if (back) await tx.delete(emailChanges).where(and(ofUser, gte(emailChanges.id, back.id)))
  return back !== undefined
}

/**
 * Consumes a token and those of later changes: a thief could otherwise undo the undoing. Also for an inactive user.
 * @returns the locked row of the user, and the address to restore
 * @throws ApiError invalid_or_expired_token
 */
export async function redeemUndoToken(
  ctx: Context,
  tx: Transaction,
  text: string,
): Promise<{ user: User; email: string }> {
  const user = await lockUser(tx, (await findUndoToken(ctx, tx, text)).userId)
  // Again, now that no concurrent use can consume it.
  const { id, userId, email } = await findUndoToken(ctx, tx, text)
  if (!user) throw new ApiError('invalid_or_expired_token')
  await tx.delete(emailChanges).where(and(eq(emailChanges.userId, userId), gte(emailChanges.id, id)))
  return { user, email }
}

async function findUndoToken(ctx: Context, tx: Transaction, text: string) {
  const isMatch = inArray(emailChanges.token, possibleHashes(ctx, text))
  const isLive = gt(emailChanges.expiresAt, new Date(ctx.now()))
  const [found] = await tx.select().from(emailChanges).where(and(isMatch, isLive))
  if (!found) throw new ApiError('invalid_or_expired_token')
  return found
}

/** Ends all undo tokens of a user. */
export async function endUndoTokens(tx: Transaction, { id }: User): Promise<void> {
  await tx.delete(emailChanges).where(eq(emailChanges.userId, id))
}
