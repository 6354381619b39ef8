import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import {
  bigint,
  customType,
  boolean as pgBoolean,
  text as pgText,
  timestamp as pgTimestamp,
} from 'drizzle-orm/pg-core'

/** Everything that differs between databases, under the same names: table files do not depend on the database. */
export {
  index,
  type PgColumn as Column,
  type PgTable as Table,
  pgTable as table,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

/** A 64-bit integer, like an id. With 32 bits, a larger number from a client would cause a 500. */
export const integer = (name: string) => bigint(name, { mode: 'number' })

/** Primary key assigned by the database. An id is never reused, even after its row is deleted. */
export const id = () => integer('id').primaryKey().generatedByDefaultAsIdentity()

export const text = (name: string) => pgText(name)

/**
 * Text in an index. Compared byte by byte: the order of a locale can change with the operating system of the server,
 * and the index would then miss rows.
 */
export const keyText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
})

export const boolean = (name: string) => pgBoolean(name)

/** A time in UTC with milliseconds, a `Date` in TypeScript. */
export const timestamp = (name: string) => pgTimestamp(name, { withTimezone: true, precision: 3 })

/** 1970: the default of a time that an insert may leave out. */
timestamp.epoch = sql`'epoch'`

/**
 * A column in lower case. Converts ASCII letters only, whatever the locale of the database: in Turkish, I becomes ı,
 * and Ivan could not log in.
 */
export const lowerCase = (column: AnyColumn): SQL => sql`lower(${column} COLLATE "C")`

/** Whether one of these unique indexes rejected the row: a sequence that fell behind violates another one. */
export const isUniqueViolation = (error: unknown, ...indexes: string[]): boolean =>
  chainOf(error).some((link) => 'constraint' in link && indexes.includes(String(link.constraint)))

/**
 * SQLSTATEs of a temporarily unavailable database: 08 connection lost, 25006 server became a replica, 25P03 and 57014
 * timeout, 40001 and 40P01 repeated conflicts, 42501 a right and 42P01 a table that is missing, 53 out of connections,
 * memory or disk, 55P03 locked, 57P01 to 57P05 stopping, starting or closing idle connections, 58 I/O error (PostgreSQL
 * documentation, appendix A).
 */
const unavailableState = /^(08...|25006|25P03|40001|40P01|42501|42P01|53...|55P03|57014|57P0[1235]|58...)$/

/** Error codes of Node.js for a connection that cannot be opened or was lost. */
const networkError =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|ENOENT|EADDRNOTAVAIL)$/

/** Messages of pg's errors that have no code. */
const driverError =
  /^(Connection terminated|timeout e(xceeded|xpired)|Query read timeout|Client has encountered a connection error|Client was closed)/

/** Whether the database is temporarily unavailable. */
export const isUnavailable = (error: unknown): boolean =>
  codesOf(error).some((code) => unavailableState.test(code) || networkError.test(code)) ||
  messagesOf(error).some((message) => driverError.test(message))

/** Drizzle wraps the driver's error and keeps it as `cause`. */
const chainOf = (error: unknown): Error[] => (error instanceof Error ? [error, ...chainOf(error.cause)] : [])

const codesOf = (error: unknown): string[] =>
  chainOf(error).flatMap((link) => ('code' in link && typeof link.code === 'string' ? [link.code] : []))

const messagesOf = (error: unknown): string[] => chainOf(error).map(({ message }) => message)

/**
 * An error as it may be shown: Drizzle's contains the values of the query, such as hashes and addresses. PostgreSQL's has
 * whole rows in its details, and quotes a value that a type does not accept (class 22).
 */
export function withoutValues(error: unknown): unknown {
  const reason = error instanceof DrizzleQueryError ? (error.cause ?? new Error('A query failed')) : error
  if (!(reason instanceof Error) || !('severity' in reason && 'code' in reason)) return reason
  const { message, stack, code } = reason
  const shown = String(code).startsWith('22') ? message.replace(/".*"/s, '"…"') : message
  return Object.assign(new Error(shown), { code, stack: stack?.replace(message, () => shown) })
}
