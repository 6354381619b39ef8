import { failed } from '../system/errors.ts'
import { type CopiedValue, type DriverValue, type Reader, type Table, ValueError } from './database.ts'
import type { CopiedTable } from './match.ts'
import { fromSqlite } from './sqlite-values.ts'
import { fromPostgres } from './values.ts'

/** A row for messages, such as "users, id 5". @param columns the names of its columns */
export const rowName = ({ name, key }: Table, columns: readonly string[], row: DriverValue[] = []): string =>
  [name, ...key.map((column) => `${column} ${row[columns.indexOf(column)]}`)].join(', ')

/**
 * Converts a row of one of the databases to the values between them.
 * @throws UserError (failed) that names the row and the column
 */
export const translate = (reader: Reader, table: CopiedTable, row: DriverValue[]): CopiedValue[] =>
  table.copied.map(({ kind, name }, index) => {
    const value = row[index] ?? null
    if (value === null) return null
    return inRow(
      table,
      row,
      () => (reader.kind === 'sqlite' ? fromSqlite(kind, value) : fromPostgres(kind, String(value))),
      name,
    )
  })

/**
 * Runs `work`, and adds the row to an error about a value.
 * @throws UserError (failed) instead of ValueError
 */
export function inRow<Result>(
  table: CopiedTable,
  row: DriverValue[],
  work: () => Result,
  column?: string,
): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    const fault = column ? `${column}: ${error.message}` : error.message
    throw failed(`${rowName(table, table.names, row)}: ${fault}`)
  }
}
