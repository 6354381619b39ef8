import { and, gt, inArray } from 'drizzle-orm'
import type { Reader } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'

/** Those of these new addresses that `rejectReservedEmail` would reject for a new user. */
export async function findReservedEmails(db: Reader, emails: string[], now: number): Promise<string[]> {
  if (emails.length === 0) return []
  const isReserved = and(inArray(emailChanges.email, emails), gt(emailChanges.expiresAt, new Date(now)))
  const reserved = await db.select({ email: emailChanges.email }).from(emailChanges).where(isReserved)
  return reserved.map(({ email }) => email)
}
