import { and, eq, inArray, isNull, ne, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../db/database.ts'
import { lowerCase } from '../db/dialect.ts'
import { forUpdate } from '../db/queries.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { type User, users } from '../db/schema/users.ts'
import { ApiError } from '../errors.ts'

/** The address that the user verified last. Null if they never did. */
export const lastVerifiedEmail = ({ email, isVerified, verifiedEmail }: User): string | null =>
  isVerified ? email : verifiedEmail

/**
 * The address for password resets and notices. Not a changed address before it is verified: the owner of a mistyped
 * one, or an attacker who made the change with a stolen token, could take over the account.
 */
export const trustedEmail = (user: User): string => lastVerifiedEmail(user) ?? user.email

/** Finds a user by their normalized email and locks the row. */
export async function lockUserByEmail(tx: Transaction, email: string): Promise<User | undefined> {
  const isCurrent = eq(lowerCase(users.email), email)
  const [user] = await forUpdate(tx.select().from(users).where(isCurrent))
  return user
}

/** Finds a user by their normalized `trustedEmail` and locks the row. */
export async function lockUserByTrustedEmail(tx: Transaction, email: string): Promise<User | undefined> {
  const isCurrent = and(eq(lowerCase(users.email), email), or(users.isVerified, isNull(users.verifiedEmail)))
  const isLast = and(eq(users.verifiedEmail, email), eq(users.isVerified, false))
  const [user] = await forUpdate(tx.select().from(users).where(or(isCurrent, isLast)))
  return user
}

/**
 * Rejects a new address of a user that is reserved for another one: otherwise a thief could block the way back with a
 * second account. Call it after the write: it has then waited for a concurrent change away from this address.
 * @throws ApiError already_registered
 */
export async function rejectReservedEmail(tx: Transaction, { id, email }: User): Promise<void> {
  const isLast = and(eq(users.verifiedEmail, email), ne(users.id, id))
  const isRestorable = and(eq(emailChanges.email, email), ne(emailChanges.userId, id))
  const counts = await Promise.all([tx.$count(users, isLast), tx.$count(emailChanges, isRestorable)])
  if (counts.some((count) => count > 0)) throw new ApiError('already_registered')
}

/** Those of these new addresses that `rejectReservedEmail` would reject for a new user. */
export async function findReservedEmails(db: Reader, emails: string[]): Promise<string[]> {
  if (emails.length === 0) return []
  const last = await db
    .select({ email: users.verifiedEmail })
    .from(users)
    .where(inArray(users.verifiedEmail, emails))
  const restorable = await db
    .select({ email: emailChanges.email })
    .from(emailChanges)
    .where(inArray(emailChanges.email, emails))
  return [...last, ...restorable].flatMap(({ email }) => email ?? [])
}
