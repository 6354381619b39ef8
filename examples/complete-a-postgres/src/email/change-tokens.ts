import { and, eq, gt, gte, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { users } from '../db/schema/users.ts'
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

/** A change of the address that can still be undone. */
export type EmailChange = typeof emailChanges.$inferSelect

/** The change that took this address from its user, who can undo it. */
export const findChangeFrom = (ctx: Context, tx: Transaction, email: string) =>
  findLive(ctx, tx, eq(emailChanges.email, email))

/**
 * Replaces the token of a change, whose user's row is locked: the former one is void.
 * @returns the new one
 */
export async function replaceUndoToken(ctx: Context, tx: Transaction, { id }: EmailChange): Promise<string> {
  const { text, hash: token } = createEmailToken(ctx.keys.emailTokens)
  await tx.update(emailChanges).set({ token }).where(eq(emailChanges.id, id))
  return text
}

/** Finds the change of a token, or from an address, and locks the row of its user, who may be inactive. */
export async function lockChange(ctx: Context, tx: Transaction, by: { token: string } | { email: string }) {
  const which =
    'email' in by
      ? eq(emailChanges.email, by.email)
      : inArray(emailChanges.token, undoTokenHashes(by.token, ctx.keys.emailTokens))
  const found = await findLive(ctx, tx, which)
  const user = found && (await lockUser(tx, found.userId))
  // Again, now that no concurrent use can consume it.
  const change = user && (await findLive(ctx, tx, which))
  return user && change && { user, change }
}

/**
 * Consumes the token of a change and those of later ones: a thief could otherwise undo the undoing.
 * @returns since when what was added may be a thief's: one who plans to move the address adds a way in first
 */
export async function endUndoTokens(tx: Transaction, { id, userId, maxExpiresAt }: EmailChange) {
  await tx.delete(emailChanges).where(and(eq(emailChanges.userId, userId), gte(emailChanges.id, id)))
  return new Date(maxExpiresAt.getTime() - maxUndoMs - undoMs)
}

async function findLive({ now }: Context, tx: Transaction, which: SQL): Promise<EmailChange | undefined> {
  const isLive = gt(emailChanges.expiresAt, new Date(now()))
  const [change] = await tx.select().from(emailChanges).where(and(which, isLive))
  return change
}

/** Revokes all undo tokens of a user. */
export async function revokeUndoTokens(tx: Transaction, { id }: User): Promise<void> {
  await tx.delete(emailChanges).where(eq(emailChanges.userId, id))
}
