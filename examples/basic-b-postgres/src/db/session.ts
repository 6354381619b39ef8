import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type { Config } from '../config.ts'
import { isUnavailable } from './dialect.ts'
import { unreachable } from './unreachable.ts'

/** A connection inside a transaction: reads and writes. */
export type Transaction = NodePgDatabase

/** Connections that keep one server process, and with it their parameters and prepared statements. */
const ownSessions = new WeakSet<pg.ClientBase>()

/**
 * Whether the address leads to a pooler, such as PgBouncer, which cannot announce the id of one server process. In
 * transaction mode it gives every transaction any process, and what stays in the session reaches other clients.
 */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const announced = 'processID' in client ? client.processID : undefined
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid !== announced
}

/**
 * SQL that makes the server notice within a second that this process was killed: it cancels the statement and releases
 * its locks, instead of when the statement ends. PostgreSQL 13 does not have the setting and would log an error each
 * time. Servers on Windows have it and refuse it.
 */
export const checkClient = ({ isLocal }: { isLocal: boolean }): string =>
  `SELECT set_config(name, '1s', ${isLocal}) FROM pg_settings WHERE name = 'client_connection_check_interval'`

/**
 * Sets the parameters of a new connection, in one round trip. Behind a pooler (see `isPooled`), nothing is set, and `begin`
 * sets the parameters for each transaction.
 */
export async function startSession(client: pg.ClientBase, settings: Config['database']): Promise<void> {
  const announced = 'processID' in client ? client.processID : undefined
  const text = `${setParameters(settings)} WHERE pg_backend_pid() = $1`
  const { rows } = await client.query(text, [announced])
  refuseReadOnly(rows)
  if (rows.length === 1) ownSessions.add(client)
}

/**
 * Begins a transaction.
 * @param durable `false` if the commit need not wait for the disk
 */
export async function begin(
  client: pg.ClientBase,
  settings: Config['database'],
  durable: boolean,
): Promise<void> {
  const statements = [
    // Not the default of the role or database: with REPEATABLE READ, a session that ends while a request waits for
    // the user's row would still look live, and an attacker could use it to change the email.
    'BEGIN ISOLATION LEVEL READ COMMITTED',
    ...(ownSessions.has(client) ? [] : [setParameters(settings, { isLocal: true })]),
    ...(durable ? [] : ['SET LOCAL synchronous_commit TO OFF']),
  ]
  const results = await client.query(statements.join('; ')).catch((error: unknown) => {
    // A pooler connects to the server only now.
    throw ownSessions.has(client) ? error : unreachable(error, settings)
  })
  refuseReadOnly([results].flat().flatMap(({ rows }) => rows))
}

/** Runs a query outside a transaction, with the parameters of the session. */
export async function read(
  client: pg.ClientBase,
  settings: Config['database'],
  query: pg.QueryConfig,
  values: unknown[],
): Promise<pg.QueryResult> {
  if (ownSessions.has(client)) return client.query(query, values)
  await begin(client, settings, true)
  // Without a name: the next server process does not know it, or has it from another client.
  const result = await client.query({ ...query, name: undefined }, values)
  await client.query('COMMIT')
  return result
}

/** Runs `work` in a transaction of a connection, and releases the connection. */
export async function runTransaction<Result>(
  client: pg.PoolClient,
  settings: Config['database'],
  durable: boolean,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let isUsable = false
  let refusal: unknown
  const query = async (config: pg.QueryConfig, values: unknown[]) => {
    // A query that `work` left behind when it failed: the next transaction of the connection would commit it.
    if (refusal) throw refusal
    return client.query(config, values).catch((error: unknown) => {
      refusal ??= error
      throw error
    })
  }
  try {
    await begin(client, settings, durable)
    const result = await work(drizzle({ client: { query } as unknown as pg.Client }))
    if (refusal) throw refusal
    refusal = ended
    const { command } = await client.query('COMMIT')
    isUsable = true
    // A query that `work` did not wait for has failed, so the server rolled back.
    if (command !== 'COMMIT') throw new Error('A query of the transaction failed')
    return result
  } catch (error) {
    refusal ??= ended
    // A connection that was lost, or still waits for a response, is closed. The server then rolls back.
    if (!isUsable && (!isUnavailable(error) || isConflict(error))) {
      isUsable = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      )
    }
    throw error
  } finally {
    client.release(!isUsable)
  }
}

const ended = new Error('The transaction has ended')

/** Whether the database aborted the transaction because of a conflict with another one. A retry can succeed. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && /^(40001|40P01)$/.test(String(error.code))) || isConflict(error.cause))

/**
 * A replica that lags behind still accepts ended sessions: an attacker could use a token that its user has revoked.
 * The address can lead to one during a failover. The error has the code of a write to a replica.
 */
function refuseReadOnly(rows: { readOnly?: string }[]): void {
  if (rows.some(({ readOnly }) => readOnly === 'on'))
    throw Object.assign(new Error('The database is read-only'), { code: '25006' })
}

/** Also tells whether the server is read-only. */
const setParameters = ({ statementTimeoutMs }: Config['database'], { isLocal = false } = {}): string => {
  const parameters = {
    statement_timeout: statementTimeoutMs,
    // An instance that loses its network must not keep rows locked with an open transaction.
    idle_in_transaction_session_timeout: 30_000,
    // The format of dates in results, which Drizzle reads.
    DateStyle: 'ISO',
  }
  const calls = Object.entries(parameters).map(
    ([name, value]) => `set_config('${name}', '${value}', ${isLocal})`,
  )
  return `SELECT ${calls.join(', ')}, current_setting('transaction_read_only') AS "readOnly"`
}
