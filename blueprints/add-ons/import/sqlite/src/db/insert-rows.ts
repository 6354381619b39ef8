import { getTableColumns, sql } from 'drizzle-orm'
import type { Transaction } from './database.ts'
import type { Column, Table } from './dialect.ts'

/**
 * Inserts rows that conflict with none, in their order. As one parameter: thousands of rows take Drizzle longer to write as
 * SQL than the database to insert.
 * @param rows all with the same properties, which are those of the table
 * @returns these columns of the inserted rows, by their names in the database
 */
export async function insertRows(
  tx: Transaction,
  table: Table,
  rows: Record<string, unknown>[],
  returning: Column[],
): Promise<Record<string, unknown>[]> {
  const [first] = rows
  if (!first) return []
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => name in first)
  const values = rows.map((row) =>
    columns.map(([name, column]) => (row[name] === null ? null : column.mapToDriverValue(row[name]))),
  )
  const namesOf = (parts: Column[]) => parts.map(({ name }) => sql.identifier(name))
  const names = sql.join(namesOf(columns.map(([, column]) => column)), sql`, `)
  const selected = columns.map((_, at) => sql.raw(`value ->> ${at}`))
  return tx.all(sql`INSERT INTO ${table} (${names})
    SELECT ${sql.join(selected, sql`, `)} FROM json_each(${JSON.stringify(values)}) WHERE true
    ON CONFLICT DO NOTHING RETURNING ${sql.join(namesOf(returning), sql`, `)}`)
}
