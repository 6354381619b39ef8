import type { Applied } from './applied.ts'
import { type Column, MIGRATIONS, quoted, type Reader, type Table } from './database.ts'
import { IN_SCHEMA, type PostgresQuery } from './postgres-connection.ts'

/** The approximate number of characters per batch. */
const BATCH_SIZE = 4_000_000

/** The applied migrations; empty if the database has no table of migrations. */
export async function appliedOnPostgres(query: PostgresQuery): Promise<Applied[]> {
  const [[exists] = []] = await query(`SELECT to_regclass('${MIGRATIONS}')::text`)
  const rows = exists ? await query(`SELECT hash, created_at::text FROM ${MIGRATIONS}`) : []
  return rows.map(([hash, time]) => ({ hash: hash ?? '', time: Number(time) }))
}

/** Creates a reader for a connection that is in a transaction. */
export const postgresReader = (query: PostgresQuery): Reader => ({
  kind: 'postgres',
  tables: () => tablesOf(query),
  count: async (table) => Number((await query(`SELECT count(*)::text FROM ${quoted(table)}`))[0]?.[0]),
  hasValues: async (table, column) =>
    (await query(`SELECT '' FROM ${quoted(table)} WHERE ${quoted(column)} IS NOT NULL LIMIT 1`)).length > 0,
  rows: (table, columns) => batches(query, table, columns),
  counters: () => countersOf(query),
})

async function tablesOf(query: PostgresQuery): Promise<Table[]> {
  const tables = new Map<string, Table>()
  for (const [table, name, type, isGenerated, isKey] of await query(COLUMNS)) {
    if (!table || !name || !type || table === MIGRATIONS) continue
    const known = tables.get(table) ?? { name: table, columns: [] as Column[], key: [] as string[] }
    known.columns.push({ name, type, isGenerated: isGenerated === 'true' })
    if (isKey === 'true') known.key.push(name)
    tables.set(table, known)
  }
  return [...tables.values()]
}

async function* batches(query: PostgresQuery, table: Table, columns: string[]) {
  const values = columns.map((column) => `${quoted(column)}::text`)
  await query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${values.join(', ')} FROM ${quoted(table.name)}`)
  // Starts with a few rows, whose size decides how many come next.
  let limit = 10
  for (;;) {
    const rows = await query(`FETCH ${limit} FROM copied`)
    if (rows.length === 0) break
    yield rows
    const size = rows.flat().reduce((sum, value) => sum + (value?.length ?? 0), 0)
    limit = Math.max(1, Math.min(1_000, Math.floor(BATCH_SIZE / (size / rows.length + 1))))
  }
  await query('CLOSE copied')
}

async function countersOf(query: PostgresQuery): Promise<Map<string, bigint>> {
  const counters = new Map<string, bigint>()
  for (const { table, column, sequence } of await sequencesOf(query)) {
    const [[last] = []] = await query(`SELECT (last_value - (NOT is_called)::int)::text FROM ${sequence}`)
    counters.set(`${table}.${column}`, BigInt(last ?? 0))
  }
  return counters
}

/** Types without their length, because a cast to it would cut a value that is too long instead of failing. */
const COLUMNS = `
  SELECT c.relname::text, a.attname::text, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL),
    (a.attgenerated <> '')::text, coalesce(a.attnum = ANY (i.indkey), false)::text
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relnamespace = ${IN_SCHEMA} AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY c.relname, a.attnum`

/** The columns that a sequence fills, with the quoted name of the sequence. */
export async function sequencesOf(query: PostgresQuery) {
  const rows = await query(`
    SELECT c.relname::text, a.attname::text, s.oid::regclass::text
    FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    JOIN pg_class c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND c.relnamespace = ${IN_SCHEMA} AND c.relname <> '${MIGRATIONS}'`)
  return rows.map(([table, column, sequence]) => ({ table: `${table}`, column: `${column}`, sequence }))
}
