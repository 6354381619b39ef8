import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database, Reader } from './database.ts'
import type { Column } from './dialect.ts'
import { prepareRow, type Row, type Tables } from './rows.ts'

interface Query {
  where(condition: SQL): { prepare(): { values(values: Record<string, unknown>): unknown[][] } }
}

/**
 * Prepares a query that finds one row by an id, for what nearly every request looks up.
 * @param tables the parts of the row
 * @param key the column of the id
 * @param from adds the tables to the query, with inner joins only
 */
export function prepareLookup<Selected extends Tables>(
  { read }: Database,
  tables: Selected,
  key: Column,
  from: (query: ReturnType<Reader['select']>) => Query,
) {
  const prepare = () =>
    from(read.select(tables))
      .where(eq(key, sql.placeholder('id')))
      .prepare()
  const toRow = prepareRow(tables)
  let prepared: ReturnType<typeof prepare> | undefined
  return async (id: number): Promise<Row<Selected> | undefined> => {
    // Not before the first call, because the app is built while migrations create the tables.
    prepared ??= prepare()
    const [values] = prepared.values({ id })
    return values && toRow(values)
  }
}
