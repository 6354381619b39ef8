import { and, gt, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { lowerCase } from '../db/dialect.ts'
import { type User, users } from '../db/schema/users.ts'

interface Page {
  /** The id after which the page starts. */
  after: number
  limit: number
  /** A part of the username or email, in any case. */
  search?: string | undefined
}

/** A page of users in the order of their ids. */
export const listUsers = async (db: Database, { after, limit, search }: Page): Promise<User[]> =>
  db.read
    .select()
    .from(users)
    .where(and(gt(users.id, after), search === undefined ? undefined : contains(search)))
    .orderBy(users.id)
    .limit(limit)

function contains(search: string): SQL | undefined {
  // As typed: an underscore is frequent in names, and LIKE takes it for any character.
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  const isLike = (column: SQL) => sql`${column} LIKE ${pattern} ESCAPE '\\'`
  return or(isLike(lowerCase(users.username)), isLike(lowerCase(users.email)))
}
