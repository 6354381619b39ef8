import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { bigint, boolean as pgBoolean, text as pgText, timestamp as pgTimestamp } from 'drizzle-orm/pg-core'

/** What differs between databases, under one set of names: a table file is written once with these columns. */
export { index, pgTable as table, uniqueIndex } from 'drizzle-orm/pg-core'
export { isUnavailable, isUniqueViolation } from './driver-errors.ts'

/** A whole number. 64 bits wide, like an id: a client's number that is too long for 32 would be an error of the server. */
export const integer = (name: string) => bigint(name, { mode: 'number' })

/** Primary key assigned by the database. An id is never given out twice, not even after its row was deleted. */
export const id = () => integer('id').primaryKey().generatedByDefaultAsIdentity()

export const text = (name: string) => pgText(name)

export const boolean = (name: string) => pgBoolean(name)

/** A moment in UTC, to the millisecond, a `Date` in TypeScript. */
export const timestamp = (name: string) => pgTimestamp(name, { withTimezone: true, precision: 3 })

/** 1970: the default of a moment that a row may leave out. */
timestamp.epoch = sql`'epoch'`

/**
 * A column in lower case. By the letters of ASCII only, whatever the language of the database: in Turkish, I becomes ı,
 * and Ivan would not find his account.
 */
export const lowerCase = (column: AnyColumn): SQL => sql`lower(${column} COLLATE "C")`

interface Preparable<Row> {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Row[]> }
}

/**
 * Prepares a query, for the hot paths: each connection has it parsed and planned once, under `name`. The function that
 * comes back takes the values of the query's `sql.placeholder(…)`s and resolves to the rows.
 */
export function prepare<Row>(query: Preparable<Row>, name: string) {
  const statement = query.prepare(name)
  return async (values?: Record<string, unknown>): Promise<Row[]> => statement.execute(values)
}

interface Lockable {
  for(strength: 'no key update' | 'update', options?: { skipLocked: true }): unknown
}

/**
 * Locks the rows of a query until the transaction ends: whoever wants them too waits. NO KEY: rows that refer to them
 * can be added meanwhile, as their keys stay what they are.
 */
export function forUpdate<Query extends Lockable>(query: Query): Query {
  query.for('no key update')
  return query
}

/** Locks the rows that nobody else has locked, and leaves the others out. */
export function skipLocked<Query extends Lockable>(query: Query): Query {
  query.for('update', { skipLocked: true })
  return query
}
