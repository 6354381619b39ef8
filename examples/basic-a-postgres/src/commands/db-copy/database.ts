/** What the copy needs to know of a database, and asks of it. SQLite and PostgreSQL both answer. */

export type DatabaseKind = 'sqlite' | 'postgres'

export interface Column {
  name: string
  /** As the database calls it, such as `bigint`; in SQLite what CREATE TABLE says, which may be nothing. */
  type: string
  /** Computed by the database: it cannot be written. */
  isGenerated: boolean
}

export interface Table {
  name: string
  columns: Column[]
  /** The columns of the primary key. */
  key: string[]
}

/** A value as the driver gives it. PostgreSQL's are all text. */
export type DriverValue = bigint | number | string | Uint8Array | null

/** A value on its way from one database to the other: text, whatever its type. See values.ts. */
export type CopiedValue = string | null

/** All queries see one state of the database. */
export interface Reader {
  readonly kind: DatabaseKind
  /** The tables with rows of the service or its owner; not the record of migrations. */
  tables(): Promise<Table[]>
  count(table: string): Promise<number>
  /** Whether any row has a value there. */
  hasValues(table: string, column: string): Promise<boolean>
  /** All rows, some at a time, so that memory stays small however many there are. */
  rows(table: Table, columns: string[]): AsyncIterable<DriverValue[][]>
  /** The highest number that was ever given out, by `table.column`. */
  counters(): Promise<Map<string, bigint>>
}

export interface Source extends Reader {
  /** The timestamps of the migrations that it has had. */
  migrations(): Promise<Set<number>>
  /** Whether anything was written since it was opened. Ends the state that queries see: comes last. */
  hasChanged(): Promise<boolean>
  close(): Promise<void>
}

/** Everything happens in one transaction: `close` without `commit` leaves the database as it was. */
export interface Target extends Reader {
  /** Begins the transaction, keeps other writers out, sets foreign keys and triggers aside. */
  begin(): Promise<void>
  /** @throws RowError */
  insert(table: string, columns: CopiedColumn[], rows: CopiedValue[][]): Promise<void>
  /** Puts foreign keys and triggers back. @throws CopyError where a row refers to a row that is not there */
  restore(): Promise<void>
  /** No number of `counters` will be given out again. */
  setCounters(counters: Map<string, bigint>): Promise<void>
  commit(): Promise<void>
  close(): Promise<void>
}

/** What kind of values a column holds, for the translation from one database to the other. */
export type Kind =
  | 'boolean'
  | 'bytes'
  | 'integer'
  | 'json'
  | 'numeric'
  | 'real'
  | 'same'
  | 'text'
  | 'timestamp'
  | 'uuid'

/** A column that both databases have. */
export interface CopiedColumn {
  name: string
  kind: Kind
  /** In the target. */
  type: string
}

/** A copy that cannot be made, and why, in one line. The target is as it was. */
export class CopyError extends Error {
  override name = 'CopyError'
}

/** A value that one of the databases cannot hold, and why. */
export class ValueError extends Error {
  override name = 'ValueError'
}

/** The target refuses a row: which one of those handed to it, and why. */
export class RowError extends Error {
  override name = 'RowError'
  readonly index: number

  constructor(index: number, message: string) {
    super(message)
    this.index = index
  }
}

/** The record of migrations: each database has its own. */
export const bookkeeping = '__drizzle_migrations'

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // Where a host name has several addresses, Node.js says why each of them failed, and nothing as a whole.
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  return error.message.split('\n')[0] ?? ''
}
