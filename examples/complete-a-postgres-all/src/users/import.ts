import { inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../db/database.ts'
import { lowerCase } from '../db/dialect.ts'
import { users } from '../db/schema/users.ts'
import { findReservedEmails } from './reserved-emails.ts'
import { findRetiredNames } from './retired-names.ts'
import { type NewUser, newRow } from './users.ts'

/** A user of another service. */
export interface ImportedUser extends NewUser {
  isActive: boolean
  isVerified: boolean
  /** Default: the time of the import. */
  createdAt: Date | undefined
}

/** exists: there is a user with both names, who stays as they are. taken: one of the names belongs to another user. */
export type ImportOutcome = 'created' | 'exists' | 'taken'

/** The email by username, and the username by email, both in lower case. */
export type TakenNames = Map<string, string>

/**
 * What an import of these users would do, one outcome for each.
 * @param now milliseconds since 1970
 * @param taken the names of users before them. Gets theirs too
 */
export async function planImport(
  db: Reader,
  imported: ImportedUser[],
  given: { now: number; taken?: TakenNames },
): Promise<ImportOutcome[]> {
  const { taken = new Map() } = given
  const emails = imported.map(({ email }) => email)
  const names = imported.map(({ username }) => username.toLowerCase())
  // Two queries: for one with OR, PostgreSQL would read the whole table.
  for (const isNamed of [
    inArray(lowerCase(users.email), emails),
    inArray(lowerCase(users.username), names),
  ]) {
    const existing = await db
      .select({ username: users.username, email: users.email })
      .from(users)
      .where(isNamed)
    for (const { username, email } of existing) {
      taken.set(username.toLowerCase(), email)
      taken.set(email, username.toLowerCase())
    }
  }
  for (const name of await findRetiredNames(db, names)) taken.set(name, taken.get(name) ?? '')
  for (const email of await findReservedEmails(db, emails, given.now))
    taken.set(email, taken.get(email) ?? '')
  return imported.map(({ username, email }) => {
    const name = username.toLowerCase()
    if (taken.get(name) === email && taken.get(email) === name) return 'exists'
    if (taken.has(name) || taken.has(email)) return 'taken'
    taken.set(name, email)
    taken.set(email, name)
    return 'created'
  })
}

/**
 * Creates the users whose names are free. Never changes an existing one: a second run would bring back the password that
 * they have replaced since the first.
 * @returns one outcome for each
 */
export async function importUsers(
  tx: Transaction,
  imported: ImportedUser[],
  now: number,
): Promise<ImportOutcome[]> {
  const outcomes = await planImport(tx, imported, { now })
  const free = imported.filter((_, index) => outcomes[index] === 'created')
  if (free.length === 0) return outcomes
  const rows = free.map((user) => ({ ...newRow(user, now), createdAt: user.createdAt ?? new Date(now) }))
  // Someone can have registered with one of the names since the plan.
  const inserted = await tx.insert(users).values(rows).onConflictDoNothing().returning()
  const created = new Set(inserted.map(({ email }) => email))
  // Again after the write, which has waited for a concurrent deletion of a user with one of these names.
  const names = inserted.map(({ username }) => username)
  const isRetired = inArray(lowerCase(users.username), await findRetiredNames(tx, names))
  const deleted = await tx.delete(users).where(isRetired).returning({ email: users.email })
  for (const { email } of deleted) created.delete(email)
  // Again after the write, which has waited for a concurrent change away from one of these addresses.
  const reserved = await findReservedEmails(tx, [...created], now)
  for (const email of reserved) created.delete(email)
  if (reserved.length > 0) await tx.delete(users).where(inArray(lowerCase(users.email), reserved))
  return outcomes.map((outcome, index) =>
    outcome === 'created' && !created.has(imported[index]?.email ?? '') ? 'taken' : outcome,
  )
}
