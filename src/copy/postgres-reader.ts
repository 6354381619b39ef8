import { UserError } from '../system/errors.ts'
import type { Applied } from './applied.ts'
import { type Column, MIGRATIONS, quoted, type Reader, type Table } from './database.ts'

/** The parts of pg that the copy uses. pg is a dependency of the project, not of the generator. */
export interface PostgresDriver {
  Client: new (options: {
    connectionString: string
    connectionTimeoutMillis: number
    keepAlive: boolean
  }) => PostgresClient
}

interface PostgresClient {
  /** The id of the server's process, as the server announced it. */
  readonly processID?: number | null
  on(event: 'error', listener: () => void): unknown
  connect(): Promise<unknown>
  query(query: { text: string; values: unknown[]; rowMode: 'array' }): Promise<{ rows: (string | null)[][] }>
  end(): Promise<void>
}

/** Runs one statement. Every column must be of type text. */
export type PostgresQuery = (text: string, values?: unknown[]) => Promise<(string | null)[][]>

/** The approximate number of characters per batch. */
const BATCH_SIZE = 4_000_000

/** The schema of the connection: `public`, unless the URL sets another `search_path`. */
export const IN_SCHEMA = '(SELECT oid FROM pg_namespace WHERE nspname = current_schema())'

/** @throws Error without the password, if the server does not accept the connection */
export async function connectPostgres(
  { Client }: PostgresDriver,
  url: string,
): Promise<{ announced: string; query: PostgresQuery; close: () => Promise<void> }> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000, keepAlive: true })
  // The next query reports a lost connection. An event without a listener would end the process.
  client.on('error', () => {})
  await client.connect()
  return {
    announced: String(client.processID),
    query: async (text, values = []) => (await client.query({ text, values, rowMode: 'array' })).rows,
    close: () => client.end(),
  }
}

/**
 * Connects to the server itself, and prepares the connection.
 * @throws UserError (refused) if the address leads to a pooler
 * @throws Error from `use`. The connection is closed then: an open one would keep the process from ending
 */
export async function openPostgres<Result>(
  driver: PostgresDriver,
  url: string,
  use: (query: PostgresQuery, close: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { announced, query, close } = await connectPostgres(driver, url)
  try {
    await refusePooler(query, announced)
    return await use(query, close)
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

/**
 * A transaction pooler, such as PgBouncer, gives each transaction another process of the server: settings would reach other
 * clients and not this copy. It cannot announce the id of one process.
 */
async function refusePooler(query: PostgresQuery, announced: string): Promise<void> {
  const [[answering] = []] = await query('SELECT pg_backend_pid()::text')
  if (answering !== announced)
    throw new UserError(
      'refused',
      'The address leads to a pooler, whose other clients the copy would disturb. Use the address of the server itself',
    )
}

/** The applied migrations; empty if the database has no table of migrations. */
export async function appliedOnPostgres(query: PostgresQuery): Promise<Applied[]> {
  const [[exists] = []] = await query(`SELECT to_regclass('${MIGRATIONS}')::text`)
  const rows = exists ? await query(`SELECT hash, created_at::text FROM ${MIGRATIONS}`) : []
  return rows.map(([hash, time]) => ({ hash: hash ?? '', time: Number(time) }))
}

/**
 * Overrides settings of server, role and database, so that values have one text form and no timeout ends a long copy.
 */
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
    // A query fails instead of leaving out the rows that a policy hides.
    row_security: 'off',
  }
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`)
  await query(`SELECT ${calls.join(', ')}`)
}

/**
 * Without this, the copy would lose the rows that a policy hides, and the comparison would not see them either.
 * @throws UserError (refused) that names the tables
 */
export async function refuseHiddenRows(query: PostgresQuery): Promise<void> {
  const tables = (await query(HIDDEN)).flat()
  if (tables.length > 0)
    throw new UserError(
      'refused',
      `Row-level security hides rows of ${tables.join(', ')} from this account. ` +
        'Use a superuser or an account with BYPASSRLS, or run ALTER TABLE … DISABLE ROW LEVEL SECURITY',
    )
}

/** Creates a reader for a connection that is in a transaction. */
export function postgresReader(query: PostgresQuery): Reader {
  return {
    kind: 'postgres',
    tables: () => tablesOf(query),
    count: async (table) => Number((await query(`SELECT count(*)::text FROM ${quoted(table)}`))[0]?.[0]),
    hasValues: async (table, column) =>
      (await query(`SELECT '' FROM ${quoted(table)} WHERE ${quoted(column)} IS NOT NULL LIMIT 1`)).length > 0,
    rows: (table, columns) => batches(query, table, columns),
    counters: () => countersOf(query),
  }
}

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

/** The tables with policies that apply to this account. */
const HIDDEN = `
  SELECT oid::regclass::text FROM pg_class
  WHERE relnamespace = ${IN_SCHEMA} AND relkind IN ('r', 'p') AND row_security_active(oid) ORDER BY 1`

/** The columns that a sequence fills, with the quoted name of the sequence. */
export async function sequencesOf(
  query: PostgresQuery,
): Promise<{ table: string; column: string; sequence: string }[]> {
  const rows = await query(`
    SELECT c.relname::text, a.attname::text, s.oid::regclass::text
    FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    JOIN pg_class c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND c.relnamespace = ${IN_SCHEMA} AND c.relname <> '${MIGRATIONS}'`)
  return rows.map(([table, column, sequence]) => ({
    table: table ?? '',
    column: column ?? '',
    sequence: sequence ?? '',
  }))
}
