import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { integer, text as sqliteText } from 'drizzle-orm/sqlite-core'

/**
 * Everything that differs between databases, under the same names, so that table files do not depend on the database.
 * SQLite stores booleans as 0 and 1, and times as milliseconds since 1970 (UTC). `unique` is an index,
 * because SQLite cannot add a constraint to a table.
 */
export {
  index,
  integer,
  type SQLiteColumn as Column,
  type SQLiteTable as Table,
  sqliteTable as table,
  uniqueIndex,
  uniqueIndex as unique,
} from 'drizzle-orm/sqlite-core'

/** Primary key assigned by the database. An id is never reused, even after its row is deleted. */
export const id = () => integer('id').primaryKey({ autoIncrement: true })

export const text = (name: string) => sqliteText(name)

/** Text in an index. SQLite compares all text byte by byte. */
export const keyText = text

export const boolean = (name: string) => integer(name, { mode: 'boolean' })

/** A time in UTC, a `Date` in TypeScript. */
export const timestamp = (name: string) => integer(name, { mode: 'timestamp_ms' })

/** 1970: the default of a time that an insert may leave out. SQLite requires a constant default for an added column. */
timestamp.epoch = sql`0`

/** A column in lower case. Converts ASCII letters only. */
export const lowerCase = (column: AnyColumn): SQL => sql`lower(${column})`

/** Whether one of these unique indexes rejected the row. They are on expressions: SQLite names no others. */
export const isUniqueViolation = (error: unknown, ...indexes: string[]): boolean =>
  indexes.some((name) => failureOf(error)?.message.endsWith(`UNIQUE constraint failed: index '${name}'`))

/** Whether the database is temporarily unavailable: locked by another process for too long, disk full, I/O error. */
export const isUnavailable = (error: unknown): boolean =>
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/.test(failureOf(error)?.code ?? '')

/** better-sqlite3's error; Drizzle wraps it and keeps it as `cause`. */
function failureOf(error: unknown): (Error & { code: string }) | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && String(error.code).startsWith('SQLITE_')) return error as Error & { code: string }
  return failureOf(error.cause)
}

/** An error as it may be shown: Drizzle's contains the values of the query, such as hashes and addresses, and SQLite's none. */
export const withoutValues = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? (error.cause ?? new Error('A query failed')) : error
