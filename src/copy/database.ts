import type { Database } from '../answers/variant.ts'
import type { Migration } from '../migrations/drizzle-kit/folder.ts'
import { UserError } from '../system/errors.ts'
import type { Applied } from './applied.ts'

/** What the copy needs from a database. Implemented for SQLite and PostgreSQL. */

export interface Column {
  name: string
  /** The database's name of the type, such as `bigint`. In SQLite, the text from CREATE TABLE, which may be empty. */
  type: string
  /** Whether the database computes the column, so that it cannot be written. */
  isGenerated: boolean
}

export interface Table {
  name: string
  columns: Column[]
  /** The columns of the primary key. */
  key: string[]
}

/** A value as the driver returns it. For PostgreSQL, always text. */
export type DriverValue = bigint | number | string | Uint8Array | null

/** A value between the two databases, always as text. See values.ts. */
export type CopiedValue = string | null

/** All queries see the same state of the database. */
export interface Reader {
  readonly kind: Database
  /** The tables of the service and its owner, without Drizzle's table of migrations. */
  tables(): Promise<Table[]>
  count(table: string): Promise<number>
  /** Whether any row has a value in this column. */
  hasValues(table: string, column: string): Promise<boolean>
  /** All rows in batches, so that memory use does not grow with the table. */
  rows(table: Table, columns: string[]): AsyncIterable<DriverValue[][]>
  /** The highest number ever assigned, by `table.column`. */
  counters(): Promise<Map<string, bigint>>
}

export interface Source extends Reader {
  /** The applied migrations. */
  migrations(): Promise<readonly Applied[]>
  /** Whether anything was written since the source was opened. Call it last, because it ends the transaction. */
  hasChanged(): Promise<boolean>
  close(): Promise<void>
}

/** A migration of the project: its SQL, and the timestamp that identifies it. */
export type PendingMigration = Pick<Migration, 'when' | 'sql'>

/** Everything after `begin` is one transaction: `close` without `commit` leaves the database unchanged. */
export interface Target extends Reader {
  /** Applies pending migrations, in a separate transaction. */
  migrate(migrations: readonly PendingMigration[]): Promise<void>
  /**
   * Starts the transaction, locks out other writers, and disables foreign keys and triggers.
   * @returns notes that the user needs before rows are written
   */
  begin(): Promise<string[]>
  /** @throws RowError */
  insert(table: string, columns: CopiedColumn[], rows: CopiedValue[][]): Promise<void>
  /** Enables foreign keys and triggers again. @throws UserError if a row refers to a missing row */
  restore(): Promise<void>
  /** Prevents numbers up to those in `counters` from being assigned again. */
  setCounters(counters: Map<string, bigint>): Promise<void>
  commit(): Promise<void>
  close(): Promise<void>
}

/** The kind of a column's values, which decides how they are converted. */
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
  /** The column's type in the target. */
  type: string
}

/** One of the databases cannot store a value. The message says why. */
export class ValueError extends Error {
  override name = 'ValueError'
}

/** The target refused a row. Has its index in the batch; the message says why. */
export class RowError extends Error {
  override name = 'RowError'
  readonly index: number

  constructor(index: number, message: string) {
    super(message)
    this.index = index
  }
}

/** Drizzle's table of applied migrations. It is not copied, because each database has its own. */
export const MIGRATIONS = '__drizzle_migrations'

/** Quotes a name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The error to report if a database cannot be opened. @param purpose what it is for: "copy from" */
export const cannotOpen = (purpose: string, error: unknown): UserError =>
  new UserError(
    error instanceof UserError ? error.code : 'failed',
    `Cannot open the database to ${purpose}: ${messageOf(error)}`,
  )

/** PostgreSQL's errors about a value (class 22) quote it: it may be a hash or an address. */
const isAboutValue = (error: Error): boolean => 'code' in error && /^22...$/.test(String(error.code))

/** The first line of an error's message, without values. Drivers put no password into it. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // If a host name has several addresses, Node.js throws an AggregateError with an empty message.
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  const message = isAboutValue(error) ? error.message.replace(/".*"/s, '"…"') : error.message
  return message.split('\n')[0] ?? ''
}
