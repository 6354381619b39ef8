import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from './database.ts'
import type { Table } from './dialect.ts'

interface Preparable<Row> {
  prepare(): Prepared<Row>
}

interface Prepared<Row> {
  all(values?: Record<string, unknown>): Row[]
}

/**
 * Prepares a frequent query: SQLite compiles it only once.
 * @returns a function that takes the values of the query's `sql.placeholder(…)`s and resolves to the rows
 */
export function prepare<Row>(query: Preparable<Row>) {
  let statement: Prepared<Row> | undefined
  return async (values?: Record<string, unknown>): Promise<Row[]> => {
    // Not before the first call, because the app is built while migrations create the tables.
    statement ??= query.prepare()
    return statement.all(values)
  }
}

/** Does nothing: in SQLite, a transaction locks the whole file, so rows need no locks. */
export const forUpdate = <Query>(query: Query): Query => query

/** Does nothing: in SQLite, no other transaction can have locked a row. */
export const skipLocked = <Query>(query: Query): Query => query

/** The time in this many milliseconds. */
export const timeIn = (ms: number): SQL => sql`CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + ${ms}`

/** Takes the next id of a table, for a row that contains its own id and is therefore inserted with it. */
export async function takeId(tx: Transaction, table: Table): Promise<number> {
  const used = sql`SELECT seq FROM sqlite_sequence WHERE name = ${getTableName(table)}`
  const id = sql<number>`coalesce((${used}), 0) + 1`
  const [row] = await tx.select({ id }).from(sql`(SELECT 1) AS one`)
  if (!row) throw new Error('The database returned no id')
  return row.id
}
