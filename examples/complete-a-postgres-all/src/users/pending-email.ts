import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import type { ExpiredRows } from '../db/batches.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'
import { type User, users } from '../db/schema/users.ts'
import { giveUpUnsent } from '../db/unsent-emails.ts'

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

/** Changes that nobody confirmed in time. */
export const expiredEmailChanges = (now: number): ExpiredRows => ({
  table: users,
  key: users.id,
  time: users.pendingEmailExpiresAt,
  before: new Date(now),
  cleared: noPendingEmail,
})
