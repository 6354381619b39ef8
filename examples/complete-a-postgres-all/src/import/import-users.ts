import { and, eq, inArray, type SQL } from 'drizzle-orm'
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
import { type NewUser, newRow, type User } from '../users/users.ts'

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

/** What becomes of a record, with the user that it creates, or has created in an earlier run. */
export interface Outcome {
  status: 'created' | 'existed' | 'refused'
  id?: number
  reason?: string
}

export interface ImportRun {
  /** The format. Users of two systems can have the same ids. */
  source: string
  config: Config
  now: () => number
  /** The users of the records so far, by id. Those of a dry run by what `keysOf` returns. */
  seen: Set<number | string>
  isDryRun: boolean
}

/** Under which a record is found: its names, and its external id after a space, which no name contains. */
function keysOf({ email, username, origin: { externalId, isUsernameMade } }: ImportedUser): string[] {
  const keys = isUsernameMade ? [email] : [email, username.toLowerCase()]
  return externalId === undefined ? keys : [...keys, ` ${externalId}`]
}

/** The users whom these records could mean, by their keys. Null for names that nobody may have. */
async function findKnown(db: Reader, imported: ImportedUser[], { source, now }: ImportRun) {
  const emails = imported.map(({ email }) => email)
  const names = imported.map(({ username }) => username.toLowerCase())
  const ids = imported.flatMap(({ origin }) => origin.externalId ?? [])
  const known = new Map<string, Awaited<ReturnType<typeof find>>[number] | null>()
  const find = (isMeant: SQL | undefined) =>
    db
      .select({
        id: users.id,
        email: users.email,
        username: lowerCase(users.username),
        createdAt: users.createdAt,
        source: importedUsers.source,
        externalId: importedUsers.externalId,
      })
      .from(users)
      .leftJoin(importedUsers, eq(importedUsers.userId, users.id))
      .where(isMeant)
  const hasId = and(eq(importedUsers.source, source), inArray(importedUsers.externalId, ids))
  // Three queries: for one with OR, PostgreSQL would read the whole table.
  for (const isMeant of [
    inArray(lowerCase(users.email), emails),
    inArray(lowerCase(users.username), names),
    hasId,
  ])
    for (const user of await find(isMeant)) {
      known.set(user.email, user).set(String(user.username), user)
      if (user.source === source && user.externalId !== null) known.set(` ${user.externalId}`, user)
    }
  for (const name of await findRetiredNames(db, names)) known.set(name, null)
  for (const email of await findReservedEmails(db, emails, now())) known.set(email, known.get(email) ?? null)
  return known
}

const taken: Outcome = { status: 'refused', reason: 'Email or username already registered' }

/**
 * What an import of these records would do. Only the same external id is a repetition: whoever registered with the names
 * of a user before the import would otherwise get what belongs to that user elsewhere.
 */
export async function planImport(db: Reader, imported: ImportedUser[], run: ImportRun): Promise<Outcome[]> {
  if (imported.length === 0) return []
  const known = await findKnown(db, imported, run)
  const seen = run.isDryRun ? run.seen : new Set<number | string>()
  const outcomeOf = (user: ImportedUser, keys: string[]): Outcome => {
    const { externalId = null, isUsernameMade } = user.origin
    const found = keys.flatMap((key) => known.get(key) ?? [])
    if (keys.some((key) => seen.has(key)) || found.some(({ id }) => run.seen.has(id)))
      return { status: 'refused', reason: 'Email, username or id of an earlier record' }
    const former = found.find((one) => {
      if (one.source !== run.source || one.externalId !== externalId) return false
      const [isEmail, isName] = [one.email === user.email, one.username === user.username.toLowerCase()]
      if (externalId === null) return isEmail && (isName || isUsernameMade)
      // Who has changed their address since. Another system of this format can have a user with this id.
      return isEmail || isName || one.createdAt.getTime() === user.createdAt?.getTime()
    })
    if (former) return { status: 'existed', id: former.id }
    const [key] = keys.filter((each) => known.has(each))
    if (key === undefined) return { status: 'created' }
    return key.startsWith(' ') ? { status: 'refused', reason: 'Has the id of a user imported before' } : taken
  }
  return imported.map((user) => {
    const keys = keysOf(user)
    const outcome = outcomeOf(user, keys)
    if (outcome.status !== 'refused') for (const key of keys) seen.add(key)
    return outcome
  })
}

/**
 * Inserts, one by one, the rows that were refused although their names are free: a sequence that fell behind does that.
 * @throws the error of the database, which names the constraint
 */
async function insertOthers(
  tx: Transaction,
  imported: ImportedUser[],
  rows: (typeof users.$inferInsert)[],
  written: Record<string, unknown>[],
  run: ImportRun,
) {
  const emails = new Set(written.map(({ email }) => email))
  const refused = imported.filter(({ email }) => !emails.has(email))
  if (refused.length === 0) return []
  const known = await findKnown(tx, refused, run)
  const inserted: Pick<User, 'id' | 'username' | 'email'>[] = []
  for (const row of rows)
    if (![row.email, row.username.toLowerCase()].some((name) => emails.has(name) || known.has(name)))
      inserted.push(...(await tx.insert(users).values(row).returning()))
  return inserted
}

/**
 * Creates the users whose names are free. Never changes an existing one: a second run would bring back the password that
 * they have replaced since the first.
 */
export async function importUsers(
  tx: Transaction,
  imported: ImportedUser[],
  run: ImportRun,
): Promise<Outcome[]> {
  const plan = await planImport(tx, imported, run)
  const now = run.now()
  const created = imported.filter((_, at) => plan[at]?.status === 'created')
  const rows = created.map(({ origin: _, createdAt = new Date(now), ...user }) => ({
    ...newRow(user, now),
    createdAt,
  }))
  const written = await insertRows(tx, users, rows, [users.id, users.username, users.email])
  const inserted = [...written, ...(await insertOthers(tx, created, rows, written, run))].map(
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
    else ids.set(email, id)
  if (removed.length > 0) await tx.delete(users).where(inArray(users.id, removed))

  const own = kindOf(dummyHash(run.config.credentials))
  const origins = created.flatMap((user) => {
    const userId = ids.get(user.email)
    if (userId === undefined) return []
    const [{ externalId = null, isInvited }, kind] = [user.origin, kindOf(user.hashedPassword)]
    const hashKind = kind && kind !== own ? kind : null
    return { userId, source: run.source, externalId, hashKind, inviteSince: isInvited ? new Date(now) : null }
  })
  await insertRows(tx, importedUsers, origins, [importedUsers.userId])
  return plan.map((outcome, at) => {
    if (outcome.status !== 'created') return outcome
    const id = ids.get(imported[at]?.email ?? '')
    return id === undefined ? taken : { status: 'created', id }
  })
}
