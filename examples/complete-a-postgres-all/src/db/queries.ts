import { createHash } from 'node:crypto'
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from './database.ts'
import type { Table } from './dialect.ts'

interface Preparable<Row> {
  toSQL(): { sql: string }
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Row[]> }
}

/**
 * Prepares a frequent query: each connection parses it only once.
 * @returns a function that takes the values of the query's `sql.placeholder(…)`s and resolves to the rows
 */
export function prepare<Row>(query: Preparable<Row>) {
  // One name for one text. PostgreSQL cuts names after 63 bytes.
  const name = createHash('sha256').update(query.toSQL().sql).digest('base64url')
  const statement = query.prepare(name)
  return async (values?: Record<string, unknown>): Promise<Row[]> => statement.execute(values)
}

interface Lockable {
  for(strength: 'no key update' | 'update', options?: { skipLocked: true }): unknown
}

/**
 * Locks the rows of a query until the transaction ends. Other transactions that lock them wait. NO KEY UPDATE still
 * allows inserts of rows that refer to the locked ones.
 */
export function forUpdate<Query extends Lockable>(query: Query): Query {
  query.for('no key update')
  return query
}

/** Locks the rows of a query, and skips rows that another transaction has locked. */
export function skipLocked<Query extends Lockable>(query: Query): Query {
  query.for('update', { skipLocked: true })
  return query
}

/** The time in this many milliseconds, by the clock of the server, which all instances share. */
export const timeIn = (ms: number): SQL =>
  sql`date_trunc('milliseconds', now()) + ${ms} * interval '1 millisecond'`

/** Takes the next id of a table, for a row that contains its own id and is therefore inserted with it. */
export async function takeId(tx: Transaction, table: Table): Promise<number> {
  const id = sql<number>`nextval(pg_get_serial_sequence(${getTableName(table)}, 'id'))`.mapWith(Number)
  const [row] = await tx.select({ id }).from(sql`(SELECT 1) AS one`)
  if (!row) throw new Error('The database returned no id')
  return row.id
}
