import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { Config } from '../config.ts'
import { checkAccess } from './access.ts'
import type { Table } from './dialect.ts'
import { isConflict, read, runTransaction, startSession, type Transaction } from './session.ts'
import { acquire, unreachable } from './unreachable.ts'

export type { Transaction }

/** A connection for reads only. A `Transaction` is also a `Reader`. */
export type Reader = Pick<Transaction, 'select' | 'selectDistinct' | '$count'>

export interface Database {
  /** Queries outside a transaction. They see the last committed data. */
  read: Reader
  /**
   * Runs `work` in a transaction, which commits if the promise resolves and rolls back if it rejects. Every write goes
   * through here. In `work`, use only `tx` and await only database calls: after a conflict, `work` runs again. After a
   * failed query, nothing commits.
   * @param options.durable `false` for writes that a power failure may lose: the commit does not wait for the disk
   */
  transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    options?: { durable?: boolean },
  ): Promise<Result>
  /** Resolves if the database accepts writes and has these tables, not locked and with all rights on rows and sequences. */
  ping(tables: readonly Table[]): Promise<void>
  close(): Promise<void>
}

/** Maximum number of attempts for a transaction that conflicts with others. */
const maxTries = 5

/** Creates a pool that connects on demand. If the server is down, the first query fails. */
export function openDatabase(settings: Config['database']): Database {
  const pool = new pg.Pool({
    ...connectionOptions(settings),
    max: settings.poolSize,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    // A server that does not respond cannot cancel the statement either, so the client gives up slightly later.
    query_timeout: settings.statementTimeoutMs + 500,
    // Idle connections stay open: a new one costs a login, and parses every statement again.
    idleTimeoutMillis: 0,
    onConnect: (client) => startSession(client, settings),
  })
  // If a connection is lost, its queries fail and the pool opens a new one. pg also emits `error`, which would end the
  // process if it had no listener.
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))

  async function query(config: pg.QueryConfig, values: unknown[]): Promise<pg.QueryResult> {
    const client = await acquire(pool, settings)
    let isUsable = false
    try {
      const result = await read(client, settings, config, values)
      isUsable = true
      return result
    } finally {
      client.release(!isUsable)
    }
  }

  const reader = {
    query: (config: pg.QueryConfig, values: unknown[]) =>
      query(config, values).catch((error: unknown) => {
        if (!isStalePlan(error)) throw error
        return query({ ...config, name: undefined }, values)
      }),
  }

  const reading = drizzle({ client: reader as pg.Pool })
  let closing: Promise<void> | undefined
  return {
    read: reading,
    async transaction(work, { durable = true } = {}) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await runTransaction(await acquire(pool, settings), settings, durable, work)
        } catch (error) {
          if (!isConflict(error) || tries === maxTries) throw error
          // A random delay, so that the same transactions do not conflict again.
          await sleep(Math.random() * 20 * tries)
        }
      }
    },
    ping: async (tables) => {
      // A server that became a replica still answers.
      if (await checkAccess(pool, tables)) throw new Error('The database is read-only')
      // Waits for locks as a request does, with its timeout. One table at a time: a check that waits for one table must
      // not keep a migration from another. Reads no row: there may be many deleted ones before the first.
      for (const table of tables) await reading.execute(sql`SELECT FROM ${table} WHERE false`)
    },
    close: () => {
      closing ??= pool.end()
      return closing
    },
  }
}

/**
 * Opens a connection with the settings that all connections of this service use, but without a statement timeout.
 * Close it with `end()`.
 * @throws ConfigError if the server cannot be reached; the message does not contain the password
 */
export async function connect(settings: Config['database']): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionOptions(settings),
    connectionTimeoutMillis: settings.connectTimeoutMs,
  })
  client.on('error', ignore)
  await client.connect().catch((error: unknown) => {
    throw unreachable(error, settings)
  })
  return client
}

const connectionOptions = ({ url }: Config['database']): pg.ClientConfig => ({
  connectionString: url,
  // The operating system detects a server that is gone without having closed the connection. Every minute, so that
  // firewalls do not forget idle connections.
  keepAlive: true,
  keepAliveInitialDelayMillis: 60_000,
})

/** Whether a migration changed the type of a column that a prepared statement returns. Prepared again, it works. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '0A000'

const ignore = () => {}
