import { refused } from '../system/errors.ts'

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

/** The schema of the connection: `public`, unless the URL sets another `search_path`. */
export const IN_SCHEMA = '(SELECT oid FROM pg_namespace WHERE nspname = current_schema())'

/** @throws Error without the password, if the server does not accept the connection */
export async function connectPostgres({ Client }: PostgresDriver, url: string) {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000, keepAlive: true })
  // The next query reports a lost connection. An event without a listener would end the process.
  client.on('error', () => {})
  await client.connect()
  const query: PostgresQuery = async (text, values = []) =>
    (await client.query({ text, values, rowMode: 'array' })).rows
  return { announced: String(client.processID), query, close: () => client.end() }
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
    throw refused(
      'The address leads to a pooler, whose other clients the copy would disturb. Use the address of the server itself',
    )
}

/**
 * Overrides settings of server, role and database, so that values have one text form and no timeout ends a long copy.
 * @throws UserError (refused) if row-level security hides rows
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
  await refuseHiddenRows(query)
}

/**
 * Without this, the copy would lose the rows that a policy hides, and the comparison would not see them either.
 * @throws UserError (refused) that names the tables
 */
export async function refuseHiddenRows(query: PostgresQuery): Promise<void> {
  const tables = (await query(HIDDEN)).flat()
  if (tables.length > 0)
    throw refused(
      `Row-level security hides rows of ${tables.join(', ')} from this account. ` +
        'Use a superuser or an account with BYPASSRLS, or run ALTER TABLE … DISABLE ROW LEVEL SECURITY',
    )
}

/** The tables with policies that apply to this account. */
const HIDDEN = `
  SELECT oid::regclass::text FROM pg_class
  WHERE relnamespace = ${IN_SCHEMA} AND relkind IN ('r', 'p') AND row_security_active(oid) ORDER BY 1`
