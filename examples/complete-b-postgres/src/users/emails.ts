import { and, eq, gt, inArray, isNotNull, isNull, ne, type SQL } from 'drizzle-orm'
import type { Reader, Transaction } from '../db/database.ts'
import { lowerCase } from '../db/dialect.ts'
import { forUpdate, timeIn } from '../db/queries.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { outbox } from '../db/schema/outbox.ts'
import { type User, users } from '../db/schema/users.ts'
import { ApiError } from '../errors/api-error.ts'

/** Finds a user by their normalized email and locks the row. */
export async function lockUserByEmail(tx: Transaction, email: string): Promise<User | undefined> {
  const isCurrent = eq(lowerCase(users.email), email)
  const [user] = await forUpdate(tx.select().from(users).where(isCurrent))
  return user
}

/**
 * Rejects the new address of a user if a live undo token reserves it for another one: a thief could otherwise block the
 * way back with a second account. Call it after the write, which has waited for a concurrent change of this address.
 * @throws ApiError already_registered
 */
export async function rejectReservedEmail(
  tx: Transaction,
  { id, email }: Pick<User, 'id' | 'email'>,
  now: number,
): Promise<void> {
  const reserved = and(
    eq(emailChanges.email, email),
    ne(emailChanges.userId, id),
    // By the time of expiry: the clean-up may run late.
    gt(emailChanges.expiresAt, new Date(now)),
  )
  if ((await tx.$count(emailChanges, reserved)) > 0) throw new ApiError('already_registered')
}

/**
 * Rejects an address that counts as taken for this user, before they ask for it. Someone may take it afterwards.
 * @throws ApiError already_registered
 */
export async function rejectTakenEmail(
  tx: Transaction,
  { id }: User,
  email: string,
  now: number,
): Promise<void> {
  if ((await tx.$count(users, and(eq(lowerCase(users.email), email), ne(users.id, id)))) > 0)
    throw new ApiError('already_registered')
  await rejectReservedEmail(tx, { id, email }, now)
}

/** The template of the email with the token that confirms a change. */
export const confirmationTemplate = 'confirm_email_change'

/** No change of the address waits. */
export const noPendingEmail = {
  pendingEmail: null,
  pendingEmailToken: null,
  pendingEmailSession: null,
  pendingEmailExpiresAt: null,
}

/** The address of a change that waits for its confirmation. By the time of expiry: the clean-up may run late. */
export const pendingEmail = (user: User, now: number): string | undefined =>
  user.pendingEmail !== null && (user.pendingEmailExpiresAt?.getTime() ?? 0) > now
    ? user.pendingEmail
    : undefined

/** Finds the user whose change of address waits for a token with one of these hashes. */
export async function findByPendingToken(
  db: Reader,
  hashes: string[],
  now: number,
): Promise<User | undefined> {
  const [user] = await db.select().from(users).where(inArray(users.pendingEmailToken, hashes))
  return user && pendingEmail(user, now) !== undefined ? user : undefined
}

/**
 * Cancels the change of address that waits, for a user whose row is locked: whoever took over a session must not get the
 * account after the owner has locked them out.
 * @param sessionIds cancels it only if one of these sessions asked for it. Default: always
 */
export async function cancelEmailChange(
  tx: Transaction,
  userId: number,
  sessionIds?: number[],
): Promise<void> {
  const asked = sessionIds && inArray(users.pendingEmailSession, sessionIds)
  const waits = and(eq(users.id, userId), isNotNull(users.pendingEmail), asked)
  const cancelled = await tx.update(users).set(noPendingEmail).where(waits).returning({ id: users.id })
  if (cancelled.length > 0) await giveUpUnsent(tx, userId, eq(outbox.template, confirmationTemplate))
}

/** Gives up emails of a user that are not sent yet, because their tokens are void. */
export async function giveUpUnsent(tx: Transaction, userId: number, which: SQL): Promise<void> {
  await tx
    .update(outbox)
    .set({ failedAt: timeIn(0) })
    .where(and(eq(outbox.userId, userId), isNull(outbox.sentAt), isNull(outbox.failedAt), which))
}
