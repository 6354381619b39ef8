import { createHmac, randomBytes } from 'node:crypto'
import { eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../db/database.ts'
import { retiredNames } from '../db/schema/retired-names.ts'
import type { User } from '../db/schema/users.ts'
import { ApiError } from '../errors/api-error.ts'

/** The `hash` of the row that has the key. */
const keyRow = 'key'

/** Keeps the username of a user who is deleted: no one can register it again. */
export async function retireName(tx: Transaction, { username }: Pick<User, 'username'>): Promise<void> {
  // The first deletion makes the key. Another one at the same time waits here, and then reads this key.
  const newKey = randomBytes(32).toString('base64url')
  await tx.insert(retiredNames).values({ hash: keyRow, key: newKey }).onConflictDoNothing()
  const key = (await readKey(tx)) ?? newKey
  await tx
    .insert(retiredNames)
    .values({ hash: hashName(username, key) })
    .onConflictDoNothing()
}

/**
 * Rejects a new user with the username of a deleted one. Otherwise an attacker could take over what the deleted user
 * had at other services, which may know them by this name. Call it after the insert: it has then waited for a deletion.
 * @throws ApiError already_registered
 */
export async function rejectRetiredName(tx: Transaction, { username }: User): Promise<void> {
  const retired = await findRetiredNames(tx, [username])
  if (retired.length > 0) throw new ApiError('already_registered')
}

/** Those of these usernames that a deleted user had, in lower case. */
export async function findRetiredNames(db: Reader, usernames: string[]): Promise<string[]> {
  const key = await readKey(db)
  if (key === undefined) return []
  const names = new Map(usernames.map((name) => [hashName(name, key), name.toLowerCase()]))
  const isRetired = inArray(retiredNames.hash, [...names.keys()])
  const found = await db.select({ hash: retiredNames.hash }).from(retiredNames).where(isRetired)
  return found.flatMap(({ hash }) => names.get(hash) ?? [])
}

/** Undefined before the first deletion. */
async function readKey(db: Reader): Promise<string | undefined> {
  const [row] = await db.select().from(retiredNames).where(eq(retiredNames.hash, keyRow))
  return row?.key ?? undefined
}

const hashName = (username: string, key: string): string =>
  createHmac('sha256', key).update(username.toLowerCase()).digest('base64url')
