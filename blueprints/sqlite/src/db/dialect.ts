import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { integer, text as sqliteText } from 'drizzle-orm/sqlite-core'

/**
 * What differs between databases, under one set of names: a table file is written once with these columns. SQLite
 * keeps booleans as 0 and 1, and moments as milliseconds since 1970 (UTC).
 */
export { index, integer, sqliteTable as table, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Primary key assigned by the database. An id is never given out twice, not even after its row was deleted. */
export const id = () => integer('id').primaryKey({ autoIncrement: true })

export const text = (name: string) => sqliteText(name)

export const boolean = (name: string) => integer(name, { mode: 'boolean' })

/** A moment in UTC, a `Date` in TypeScript. */
export const timestamp = (name: string) => integer(name, { mode: 'timestamp_ms' })

/** 1970: the default of a moment that a row may leave out. SQLite adds a column to a table with a constant only. */
timestamp.epoch = sql`0`

/** A column in lower case, by the letters of ASCII only. */
export const lowerCase = (column: AnyColumn): SQL => sql`lower(${column})`

interface Preparable<Row> {
  prepare(): { all(values?: Record<string, unknown>): Row[] }
}

/**
 * Compiles a query once, for the hot paths. `_name` is what PostgreSQL would call the statement; SQLite needs none.
 * The function that comes back takes the values of the query's `sql.placeholder(…)`s and resolves to the rows.
 */
export function prepare<Row>(query: Preparable<Row>, _name: string) {
  const statement = query.prepare()
  return async (values?: Record<string, unknown>): Promise<Row[]> => statement.all(values)
}

/** SQLite locks the whole file at the start of a transaction, so a row needs no lock of its own. */
export const forUpdate = <Query>(query: Query): Query => query

/** Locks the rows that nobody else has locked, and leaves the others out: no row here is ever locked by somebody else. */
export const skipLocked = <Query>(query: Query): Query => query

/** A unique index refused the row. */
export const isUniqueViolation = (error: unknown): boolean =>
  ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(error))

/** The database cannot answer now, and may later: locked by another process for too long, disk full, I/O error. */
export const isUnavailable = (error: unknown): boolean =>
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/.test(codeOf(error))

/** better-sqlite3's error code; Drizzle wraps the driver's error and keeps it as `cause`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')) return error.code
  return codeOf(error.cause)
}
