import { failed } from '../system/errors.ts'
import type { Applied } from './applied.ts'
import { type DriverValue, MIGRATIONS, quoted, type Reader, type Table } from './database.ts'
import { rowName } from './row.ts'

/** The parts of better-sqlite3 that the copy uses. It is a dependency of the project, not of the generator. */
export type SqliteDriver = new (
  file: string,
  options: { readonly?: boolean; fileMustExist?: boolean; timeout?: number },
) => SqliteConnection

export interface SqliteConnection {
  readonly inTransaction: boolean
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  pragma(source: string, options?: { simple?: boolean }): unknown
  close(): unknown
}

interface SqliteStatement {
  raw(): SqliteStatement
  safeIntegers(): SqliteStatement
  all(...values: unknown[]): unknown[]
  iterate(...values: unknown[]): Iterable<unknown>
  run(...values: unknown[]): unknown
}

/** The maximum number of rows per batch, and the approximate number of characters and bytes. */
const BATCH_ROWS = 1_000
const BATCH_SIZE = 4_000_000

/** The applied migrations; empty if the database has no table of migrations. */
export function appliedOnSqlite(connection: SqliteConnection): Applied[] {
  const [exists] = connection.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').all(MIGRATIONS)
  const rows = exists ? connection.prepare(`SELECT hash, created_at FROM ${MIGRATIONS}`).raw().all() : []
  return (rows as [string, number][]).map(([hash, time]) => ({ hash, time: Number(time) }))
}

/** Creates a reader for a connection that is in a transaction. */
export const sqliteReader = (connection: SqliteConnection): Reader => ({
  kind: 'sqlite',
  tables: async () => tablesOf(connection),
  count: async (table) => Number(query(connection, `SELECT count(*) FROM ${quoted(table)}`)[0]?.[0]),
  hasValues: async (table, column) =>
    query(connection, `SELECT 1 FROM ${quoted(table)} WHERE ${quoted(column)} IS NOT NULL LIMIT 1`).length >
    0,
  rows: (table, columns) => batches(connection, table, columns),
  counters: async () => countersOf(connection),
})

export const query = (connection: SqliteConnection, sql: string, ...values: unknown[]) =>
  connection
    .prepare(sql)
    .raw()
    .safeIntegers()
    .all(...values) as DriverValue[][]

/** Without views, virtual tables and the shadow tables that store their data. */
function tablesOf(connection: SqliteConnection): Table[] {
  const tables = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name`
  return query(connection, tables)
    .map(([name]) => String(name))
    .filter((name) => !name.startsWith('sqlite_') && name !== MIGRATIONS)
    .map((name) => {
      const columns = columnsOf(connection, name)
      const key = columns.filter(({ keyPosition }) => keyPosition > 0)
      key.sort((a, b) => a.keyPosition - b.keyPosition)
      return { name, columns, key: key.map((column) => column.name) }
    })
}

function columnsOf(connection: SqliteConnection, table: string) {
  const columns = 'SELECT name, type, hidden, pk FROM pragma_table_xinfo(?)'
  return query(connection, columns, table).map(([name, type, hidden, pk]) => ({
    name: String(name),
    type: String(type),
    isGenerated: Number(hidden) !== 0,
    keyPosition: Number(pk),
  }))
}

async function* batches(connection: SqliteConnection, table: Table, columns: string[]) {
  const select = `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table.name)}`
  const rows = connection.prepare(select).raw().safeIntegers().iterate() as Iterable<DriverValue[]>
  let batch: DriverValue[][] = []
  let size = 0
  for (const row of rows) {
    checkText(connection, table, columns, row)
    batch.push(row)
    for (const value of row)
      if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
    if (batch.length < BATCH_ROWS && size < BATCH_SIZE) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

function countersOf(connection: SqliteConnection): Map<string, bigint> {
  const [exists] = query(connection, `SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'`)
  const counters = exists ? query(connection, 'SELECT name, seq FROM sqlite_sequence') : []
  const keys = new Map(tablesOf(connection).map(({ name, key }) => [name, key[0]]))
  return new Map(
    counters.map(([table, last]) => [`${table}.${keys.get(String(table))}`, BigInt(String(last ?? 0))]),
  )
}

/**
 * Refuses text that is not UTF-8, which the driver silently reads as U+FFFD. A query for a value with that character
 * finds the row only if the character itself is stored.
 */
function checkText(connection: SqliteConnection, table: Table, columns: string[], row: DriverValue[]): void {
  const cell = (column: string) => row[columns.indexOf(column)]
  for (const name of columns) {
    const value = cell(name)
    if (typeof value !== 'string' || !value.includes('\uFFFD')) continue
    const names = [...table.key, name]
    const tests = names.map((column) => `${quoted(column)} = ? COLLATE BINARY`)
    const found = `SELECT 1 FROM ${quoted(table.name)} WHERE ${tests.join(' AND ')} LIMIT 1`
    if (connection.prepare(found).all(...names.map(cell)).length > 0) continue
    throw failed(`${rowName(table, columns, row)}: ${name} contains bytes that are not UTF-8`)
  }
}
