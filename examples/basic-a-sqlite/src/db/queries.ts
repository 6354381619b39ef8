import { setImmediate } from 'node:timers/promises'
import { eq, getTableColumns, getTableName, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { Database, Reader, Transaction } from './database.ts'
import type { Column, Table } from './dialect.ts'

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

/** The tables of a lookup, by the name of their part of a row: `{ user: users, session: sessions }`. */
type Tables = Record<string, Table>

type Row<Selected extends Tables> = { [Part in keyof Selected]: InferSelectModel<Selected[Part]> }

interface Lookup {
  where(condition: SQL): { prepare(): { values(values: { id: number }): unknown[][] } }
}

/** Resolves when all requests that have arrived are read, once for all of them: a busy service answers 1.8 times as many. */
let turn: Promise<void> | undefined

/**
 * Prepares a query that finds one row by an id, for what nearly every request looks up.
 * @param key the column of the id
 * @param from adds the tables to the query, with inner joins only
 */
export function prepareLookup<Selected extends Tables>(
  { read }: Database,
  tables: Selected,
  key: Column,
  from: (query: ReturnType<Reader['select']>) => Lookup,
) {
  const query = from(read.select(tables)).where(eq(key, sql.placeholder('id')))
  const toRow = prepareRow(tables)
  let prepared: ReturnType<typeof query.prepare> | undefined
  return async (id: number): Promise<Row<Selected> | undefined> => {
    turn ??= setImmediate().finally(() => (turn = undefined))
    await turn
    prepared ??= query.prepare()
    const [values] = prepared.values({ id })
    return values && toRow(values)
  }
}

/** Prepares how values become a row: Drizzle looks at each column again for each row, which takes as long as SQLite needs to find it. */
function prepareRow<Selected extends Tables>(tables: Selected) {
  const parts = Object.entries(tables).map(
    ([part, table]) => [part, Object.entries(getTableColumns(table))] as const,
  )
  return (values: readonly unknown[]): Row<Selected> => {
    const row: Record<string, Record<string, unknown>> = {}
    let position = 0
    for (const [part, columns] of parts) {
      const read: Record<string, unknown> = {}
      for (const [name, column] of columns) {
        const value = values[position++]
        read[name] = value === null ? null : column.mapFromDriverValue(value)
      }
      row[part] = read
    }
    return row as Row<Selected>
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
