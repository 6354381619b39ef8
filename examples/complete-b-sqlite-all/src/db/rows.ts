import { getTableColumns, type InferSelectModel } from 'drizzle-orm'
import type { Table } from './dialect.ts'

/** The tables of a query, by the name of their part of a row. */
export type Tables = Record<string, Table>

/** A row of a query: `{ user: …, session: … }`. */
export type Row<Selected extends Tables> = { [Part in keyof Selected]: InferSelectModel<Selected[Part]> }

/**
 * Prepares how the values of a row become objects, for queries that run on nearly every request: Drizzle looks at each
 * column again for each row, which takes as long as SQLite needs to find it.
 */
export function prepareRow<Selected extends Tables>(tables: Selected) {
  const parts = Object.entries(tables).map(([name, table]) => ({
    name,
    columns: Object.entries(getTableColumns(table)),
  }))
  return (values: readonly unknown[]): Row<Selected> => {
    const row: Record<string, Record<string, unknown>> = {}
    let position = 0
    for (const { name, columns } of parts) {
      const part: Record<string, unknown> = {}
      for (const [key, column] of columns) {
        const value = values[position++]
        part[key] = value === null ? null : column.mapFromDriverValue(value)
      }
      row[name] = part
    }
    return row as Row<Selected>
  }
}
