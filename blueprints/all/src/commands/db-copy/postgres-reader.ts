import { bookkeeping, type Column, quoted, type Reader, type Table } from './database.ts'

/** Runs one statement. Every column must be of type text. */
export type PostgresQuery = (text: string, values?: unknown[]) => Promise<(string | null)[][]>

/** About how much text is read before it is written. */
const batchSize = 4_000_000

/** The schema that the URL leads to: `public`, where its `search_path` says nothing else. */
export const inSchema = '(SELECT oid FROM pg_namespace WHERE nspname = current_schema())'

/** Values as text have one form, whatever the server, the account or the database are set to; nothing is cut short. */
export async function setUpSession(query: PostgresQuery): Promise<void> {
  const settings = {
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    IntervalStyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    lock_timeout: '10s',
  }
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`)
  await query(`SELECT ${calls.join(', ')}`)
}

/** Reads on a connection that is in a transaction. */
export function createPostgresReader(query: PostgresQuery): Reader {
  return {
    kind: 'postgres',
    tables: async () => {
      const tables = new Map<string, Table>()
      for (const [table, name, type, isGenerated, isKey] of await query(columnsQuery)) {
        if (!table || !name || !type || table === bookkeeping) continue
        const known = tables.get(table) ?? { name: table, columns: [] as Column[], key: [] as string[] }
        known.columns.push({ name, type, isGenerated: isGenerated === 'true' })
        if (isKey === 'true') known.key.push(name)
        tables.set(table, known)
      }
      return [...tables.values()]
    },
    count: async (table) => Number((await query(`SELECT count(*)::text FROM ${quoted(table)}`))[0]?.[0]),
    hasValues: async (table, column) =>
      (await query(`SELECT '' FROM ${quoted(table)} WHERE ${quoted(column)} IS NOT NULL LIMIT 1`)).length > 0,
    async *rows(table, columns) {
      const values = columns.map((column) => `${quoted(column)}::text`)
      await query(
        `DECLARE copied NO SCROLL CURSOR FOR SELECT ${values.join(', ')} FROM ${quoted(table.name)}`,
      )
      // Few rows first, until it is known how long they are.
      let limit = 10
      for (;;) {
        const rows = await query(`FETCH ${limit} FROM copied`)
        if (rows.length === 0) break
        yield rows
        const size = rows.reduce(
          (sum, row) => row.reduce((length, value) => length + (value?.length ?? 0), sum),
          0,
        )
        limit = Math.max(1, Math.min(1_000, Math.floor(batchSize / (size / rows.length + 1))))
      }
      await query('CLOSE copied')
    },
    counters: async () => {
      const counters = new Map<string, bigint>()
      for (const { table, column, sequence } of await sequencesOf(query)) {
        const [[last] = []] = await query(`SELECT (last_value - (NOT is_called)::int)::text FROM ${sequence}`)
        counters.set(`${table}.${column}`, BigInt(last ?? 0))
      }
      return counters
    },
  }
}

/** Types without their length: a value that is too long for its column has to be refused, and a cast would cut it. */
const columnsQuery = `
  SELECT c.relname::text, a.attname::text, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL),
    (a.attgenerated <> '')::text, coalesce(a.attnum = ANY (i.indkey), false)::text
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relnamespace = ${inSchema} AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ORDER BY c.relname, a.attnum`

/** The columns that count by themselves, with their sequence in the form that SQL takes. */
export async function sequencesOf(
  query: PostgresQuery,
): Promise<{ table: string; column: string; sequence: string }[]> {
  const rows = await query(`
    SELECT c.relname::text, a.attname::text, s.oid::regclass::text
    FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    JOIN pg_class c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND c.relnamespace = ${inSchema} AND c.relname <> '${bookkeeping}'`)
  return rows.map(([table, column, sequence]) => ({
    table: table ?? '',
    column: column ?? '',
    sequence: sequence ?? '',
  }))
}
