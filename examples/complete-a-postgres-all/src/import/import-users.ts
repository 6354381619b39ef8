import { eq, inArray } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { lowerCase } from '../db/dialect.ts'
import { insertRows } from '../db/insert-rows.ts'
import { importedUsers } from '../db/schema/imported-users.ts'
import { users } from '../db/schema/users.ts'
import { kindOf } from '../passwords/foreign/pace.ts'
import { dummyHash } from '../passwords/hashes.ts'
import { findReservedEmails } from '../users/reserved-emails.ts'
import { findRetiredNames } from '../users/retired-names.ts'
import { type NewUser, newRow } from '../users/users.ts'

/** A user of another service. */
export interface ImportedUser extends NewUser {
  isActive: boolean
  isVerified: boolean
  /** Default: the time of the import. */
  createdAt: Date | undefined
  origin: {
    externalId: string | undefined
    /** There, the user had no username. */
    isUsernameMade: boolean
    /** Whether they get an email in which they set a password. */
    isInvited: boolean
  }
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
  if (imported.length === 0) return []
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
  return imported.map(({ username, email, origin }) => {
    const name = origin.isUsernameMade ? taken.get(email) || username : username.toLowerCase()
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
  { config, now }: { config: Config; now: number },
): Promise<ImportOutcome[]> {
  if (imported.length === 0) return []
  const rows = imported.map(({ origin: _, createdAt = new Date(now), ...user }) => ({
    ...newRow(user, now),
    createdAt,
  }))
  const inserted = (await insertRows(tx, users, rows, [users.id, users.username, users.email])).map(
    ({ id, username, email }) => ({ id: Number(id), username: String(username), email: String(email) }),
  )
  // After the write, which has waited for a concurrent deletion of a user with one of these names.
  const names = inserted.map(({ username }) => username)
  const refused = new Set(await findRetiredNames(tx, names))
  // After the write, which has waited for a concurrent change away from one of these addresses.
  const emails = inserted.map(({ email }) => email)
  for (const email of await findReservedEmails(tx, emails, now)) refused.add(email)
  const ids = new Map<string, number>()
  const removed: number[] = []
  for (const { id, username, email } of inserted)
    if (refused.has(username.toLowerCase()) || refused.has(email)) removed.push(id)
    else ids.set(`${username} ${email}`, id)
  if (removed.length > 0) await tx.delete(users).where(inArray(users.id, removed))

  const own = kindOf(dummyHash(config.credentials))
  const origins: ReturnType<typeof originOf>[] = []
  const others = imported.filter((user) => {
    const key = `${user.username} ${user.email}`
    const id = ids.get(key)
    if (id !== undefined) origins.push(originOf(user, id, own, now))
    // The same line again is one of a user who exists.
    ids.delete(key)
    return id === undefined
  })
  await insertRows(tx, importedUsers, origins, [importedUsers.userId])
  const plan = await planImport(tx, others, { now })
  const outcomes = new Map<ImportedUser, ImportOutcome>()
  for (const [at, user] of others.entries()) outcomes.set(user, plan[at] === 'exists' ? 'exists' : 'taken')
  return imported.map((user) => outcomes.get(user) ?? 'created')
}

/**
 * The external and new ids of users with these emails, as their import stored them, never those of the file: someone who
 * registered with the names of a user before the import would otherwise get what belongs to that user elsewhere.
 */
export async function findIds(db: Reader, emails: string[]): Promise<[externalId: string, id: number][]> {
  const { externalId, userId } = importedUsers
  const rows = await db
    .select({ externalId, userId })
    .from(importedUsers)
    .innerJoin(users, eq(users.id, userId))
    .where(inArray(lowerCase(users.email), emails))
    .orderBy(userId)
  return rows.flatMap((row) => (row.externalId === null ? [] : [[row.externalId, row.userId]]))
}

/** @param own the kind of the hashes of this service */
function originOf({ hashedPassword, origin }: ImportedUser, userId: number, own: string, now: number) {
  const kind = kindOf(hashedPassword)
  return {
    userId,
    externalId: origin.externalId ?? null,
    hashKind: kind && kind !== own ? kind : null,
    inviteSince: origin.isInvited ? new Date(now) : null,
  }
}
