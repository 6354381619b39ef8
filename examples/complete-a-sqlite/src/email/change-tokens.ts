import { and, eq, gt, gte, inArray, isNotNull, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { users } from '../db/schema/users.ts'
import { ApiError } from '../errors/api-error.ts'
import { noPendingEmail, pendingEmail } from '../users/emails.ts'
import { lockUser, type User } from '../users/users.ts'
import { giveUpEmails } from './outbox.ts'
import { createEmailToken, emailTokenHashes, undoTokenHashes } from './tokens.ts'

/** Finds the user whose change of address waits for this token. */
export async function findByPendingToken(
  { keys, now }: Context,
  tx: Transaction,
  text: string,
): Promise<User | undefined> {
  const isMatch = inArray(users.pendingEmailToken, emailTokenHashes(text, keys.emailTokens))
  const [user] = await tx.select().from(users).where(isMatch)
  return user && pendingEmail(user, now()) !== undefined ? user : undefined
}

/**
 * Cancels the change of address that waits, for a user whose row is locked: whoever took over a session must not get the
 * account after the owner has locked them out.
 * @param sessionIds cancels it only if one of these sessions asked for it. Default: always
 */
export async function cancelEmailChange(
  ctx: Context,
  tx: Transaction,
  userId: number,
  sessionIds?: number[],
): Promise<void> {
  const asked = sessionIds && inArray(users.pendingEmailSession, sessionIds)
  const waits = and(eq(users.id, userId), isNotNull(users.pendingEmail), asked)
  const cancelled = await tx.update(users).set(noPendingEmail).where(waits).returning({ id: users.id })
  if (cancelled.length > 0) await giveUpEmails(ctx, tx, userId, ['email_change'])
}

const dayMs = 24 * 60 * 60 * 1000

/** How long a change of the email address can be undone, in milliseconds. */
export const undoMs = 7 * dayMs

/** How long later changes can extend that, in milliseconds: a thief must not outlast the token with changes of their own. */
const maxUndoMs = 30 * dayMs

/**
 * Undo tokens restore an address that the user had verified. No reset, new password or other change ends them: a
 * thief could otherwise take the way back from the owner.
 */

/** Creates a token for a user whose row is locked. @param email the verified address that it restores */
export async function issueUndoToken(
  ctx: Context,
  tx: Transaction,
  { id: userId }: User,
  email: string,
): Promise<string> {
  const { text, hash: token } = createEmailToken(ctx.keys.emailTokens)
  const expiresAt = new Date(ctx.now() + undoMs)
  const maxExpiresAt = new Date(ctx.now() + maxUndoMs)
  await tx.insert(emailChanges).values({ userId, email, token, expiresAt, maxExpiresAt })
  return text
}

/** A further change: the live tokens of a user last 7 days from now, but at most 30 days from their own change. */
export async function renewUndoTokens({ now }: Context, tx: Transaction, { id }: User): Promise<void> {
  const { expiresAt, maxExpiresAt, userId } = emailChanges
  const renewed = sql.param(new Date(now() + undoMs), expiresAt)
  await tx
    .update(emailChanges)
    .set({ expiresAt: sql`CASE WHEN ${maxExpiresAt} < ${renewed} THEN ${maxExpiresAt} ELSE ${renewed} END` })
    .where(and(eq(userId, id), gt(expiresAt, new Date(now()))))
}

/**
 * Revokes the live token of an address to which a user changes back, and those of later changes.
 * @returns whether there was one
 */
export async function revokeUndoTokensFrom(
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
 * @returns the locked row of the user, the address to restore, and when it was changed
 * @throws ApiError invalid_or_expired_token
 */
export async function redeemUndoToken(
  ctx: Context,
  tx: Transaction,
  text: string,
): Promise<{ user: User; email: string; changedAt: Date }> {
  const user = await lockUser(tx, (await findUndoToken(ctx, tx, text)).userId)
  // Again, now that no concurrent use can consume it.
  const { id, userId, email, maxExpiresAt } = await findUndoToken(ctx, tx, text)
  if (!user) throw new ApiError('invalid_or_expired_token')
  await tx.delete(emailChanges).where(and(eq(emailChanges.userId, userId), gte(emailChanges.id, id)))
  return { user, email, changedAt: new Date(maxExpiresAt.getTime() - maxUndoMs) }
}

async function findUndoToken(ctx: Context, tx: Transaction, text: string) {
  const isMatch = inArray(emailChanges.token, undoTokenHashes(text, ctx.keys.emailTokens))
  const isLive = gt(emailChanges.expiresAt, new Date(ctx.now()))
  const [found] = await tx.select().from(emailChanges).where(and(isMatch, isLive))
  if (!found) throw new ApiError('invalid_or_expired_token')
  return found
}

/** Revokes all undo tokens of a user. */
export async function revokeUndoTokens(tx: Transaction, { id }: User): Promise<void> {
  await tx.delete(emailChanges).where(eq(emailChanges.userId, id))
}
