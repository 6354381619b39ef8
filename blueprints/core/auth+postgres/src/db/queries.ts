import { createHash } from 'node:crypto'
import { getTableName, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { Database, Reader, Transaction } from './database.ts'
import type { Column, Table } from './dialect.ts'

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

/** The tables of a lookup, by the name of their part of a row: `{ user: users, session: sessions }`. */
type Tables = Record<string, Table>

type Row<Selected extends Tables> = { [Part in keyof Selected]: InferSelectModel<Selected[Part]> }

interface Lookup {
  where(condition: SQL): Preparable<Record<string, unknown>>
}

/** A request that waits for its row. */
interface Waiting<Found> {
  id: number
  resolve(row: Found | undefined): void
  reject(error: unknown): void
}

/**
 * Prepares a query that finds one row by an id, for what nearly every request looks up. Requests that arrive in the same
 * turn of the event loop share a query. It starts after all of them have arrived, so none misses a revocation.
 * @param key the column of the id, in one of the tables
 * @param from adds the tables to the query, with inner joins only
 */
export function prepareLookup<Selected extends Tables>(
  { read }: Database,
  tables: Selected,
  key: Column,
  from: (query: ReturnType<Reader['select']>) => Lookup,
) {
  // As a subquery, so that the plan does not depend on the number of ids: the server would plan each query again.
  const isWanted = sql`${key} = ANY (ARRAY(SELECT unnest(${sql.placeholder('ids')}::bigint[])))`
  const find = prepare(from(read.select({ ...tables, key })).where(isWanted))
  let waiting: Waiting<Row<Selected>>[] = []

  async function findAll(): Promise<void> {
    const requests = waiting
    waiting = []
    try {
      const found = await find({ ids: requests.map(({ id }) => id) })
      const byId = new Map(found.map(({ key, ...row }) => [key, row as Row<Selected>]))
      for (const { id, resolve } of requests) resolve(byId.get(id))
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  return async (id: number): Promise<Row<Selected> | undefined> => {
    const row = await new Promise<Row<Selected> | undefined>((resolve, reject) => {
      if (waiting.push({ id, resolve, reject }) === 1) setImmediate(findAll)
    })
    // Each request gets objects of its own, even if two have the same id.
    const copies = Object.entries(row ?? {}).map(([part, columns]) => [part, { ...columns }])
    return row && Object.fromEntries(copies)
  }
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
