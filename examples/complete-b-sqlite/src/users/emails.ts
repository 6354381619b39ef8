import { and, eq, gt, ne } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { lowerCase } from '../db/dialect.ts'
import { forUpdate } from '../db/queries.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
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
