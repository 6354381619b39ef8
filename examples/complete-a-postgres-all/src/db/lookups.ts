import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import pg from 'pg'
import type { Database, Reader } from './database.ts'
import type { Column } from './dialect.ts'
import { prepareRow, type Row, type Tables } from './rows.ts'

/** Dates, timestamps, intervals and lists of them stay text, as in Drizzle's queries: its columns read them. */
const textTypes = new Set([1082, 1114, 1115, 1182, 1184, 1185, 1186, 1187, 1231])
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    textTypes.has(id) ? (value: string) => value : pg.types.getTypeParser(id, format),
}

interface Query {
  where(condition: SQL): { toSQL(): { sql: string } }
}

/** A request that waits for its row. */
interface Waiting {
  id: number
  resolve(values: unknown[] | undefined): void
  reject(error: unknown): void
}

/**
 * Prepares a query that finds one row by an id, for what nearly every request looks up. Requests that arrive in the same
 * turn of the event loop share a query. It starts after all of them have arrived, so none misses a revocation.
 * @param tables the parts of the row
 * @param key the column of the id, in one of the tables
 * @param from adds the tables to the query, with inner joins only
 */
export function prepareLookup<Selected extends Tables>(
  { read, rows }: Database,
  tables: Selected,
  key: Column,
  from: (query: ReturnType<Reader['select']>) => Query,
) {
  // As a subquery, so that the plan does not depend on the number of ids: the server would plan each query again.
  const isWanted = sql`${key} = ANY (ARRAY(SELECT unnest(${sql.placeholder('ids')}::bigint[])))`
  const text = from(read.select({ key, ...tables }))
    .where(isWanted)
    .toSQL().sql
  const name = createHash('sha256').update(text).digest('base64url')
  const toRow = prepareRow(tables)
  const query = { name, text, rowMode: 'array', types } as const
  let waiting: Waiting[] = []

  async function findAll(): Promise<void> {
    const requests = waiting
    waiting = []
    try {
      const found = await rows(query, [requests.map(({ id }) => id)])
      const byId = new Map(found.map(([id, ...values]) => [Number(id), values]))
      for (const { id, resolve } of requests) resolve(byId.get(id))
    } catch (error) {
      for (const { reject } of requests) reject(error)
    }
  }

  return async (id: number): Promise<Row<Selected> | undefined> => {
    const values = await new Promise<unknown[] | undefined>((resolve, reject) => {
      if (waiting.push({ id, resolve, reject }) === 1) setImmediate(findAll)
    })
    // Each request gets an object of its own, even if two have the same id.
    return values && toRow(values)
  }
}
