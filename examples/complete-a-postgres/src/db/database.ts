import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import pg from 'pg'
import type { Config } from '../config.ts'
import { isConflict, isUnavailable } from './driver-errors.ts'

/** A connection inside a transaction: reads and writes. */
export type Transaction = PgDatabase<PgQueryResultHKT>

/** Reads only. A `Transaction` can be handed to whatever takes a `Reader`. */
export type Reader = Pick<Transaction, 'select' | 'selectDistinct' | '$count'>

export interface Database {
  /** Queries outside of a transaction. They see what was committed last. */
  read: Reader
  /**
   * Runs `work` in a transaction: all of it is committed when the promise resolves, none of it when it rejects. Every
   * write goes through here. Inside, use only the `tx` given, and wait for nothing but the database: `work` is run again
   * where another transaction was in its way. After an error of the database a transaction can only end.
   * @param options.durable `false` for what a power cut may take: it does not wait for the disk
   */
  transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    options?: { durable?: boolean },
  ): Promise<Result>
  /** Resolves when the database answers a query; rejects otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** How often a transaction is tried that others were in the way of. */
const maxTries = 5

/** Opens connections as they are needed, and keeps them. A server that is down is met by the first query. */
export function openDatabase(settings: Config['database']): Database {
  const pool = new pg.Pool({
    ...connectionOptions(settings),
    max: settings.poolSize,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    statement_timeout: settings.statementTimeoutMs,
    // A server that says nothing at all cannot end a statement itself.
    query_timeout: settings.statementTimeoutMs + 500,
    // What an instance leaves open that was cut off from the network must not keep a user's row locked.
    idle_in_transaction_session_timeout: 30_000,
  })
  // Where a connection is lost (the server restarts), the queries under way fail and the pool makes a new one for the
  // next. It tells of it by this event too, and an `error` that nobody listens to would end the process.
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))

  let closing: Promise<void> | undefined
  return {
    read: drizzle({ client: pool }),
    async transaction(work, { durable = true } = {}) {
      const begin = durable ? 'BEGIN' : 'BEGIN; SET LOCAL synchronous_commit TO OFF'
      for (let tries = 1; ; tries += 1) {
        try {
          return await runTransaction(pool, begin, work)
        } catch (error) {
          if (!isConflict(error) || tries === maxTries) throw error
          // Each side for another time, so that they do not meet again.
          await sleep(Math.random() * 20 * tries)
        }
      }
    },
    ping: async () => {
      await pool.query('SELECT 1')
    },
    close: () => {
      closing ??= pool.end()
      return closing
    },
  }
}

async function runTransaction<Result>(
  pool: pg.Pool,
  begin: string,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isUsable = false
  try {
    await client.query(begin)
    const result = await work(drizzle({ client }))
    await client.query('COMMIT')
    isUsable = true
    return result
  } catch (error) {
    // A connection that was lost, or still waits for an answer, is given up: the server rolls back.
    if (!isUnavailable(error) || isConflict(error)) {
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

/**
 * One connection, set up the way every connection of this service is, but without a limit on the time of a statement.
 * End it with `end()`.
 * @throws Error where the server cannot be reached; its text does not hold the password
 */
export async function connect(settings: Config['database']): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionOptions(settings),
    connectionTimeoutMillis: settings.connectTimeoutMs,
  })
  client.on('error', ignore)
  await client.connect()
  return client
}

const connectionOptions = ({ url }: Config['database']): pg.ClientConfig => ({
  connectionString: url,
  // The operating system finds out that the other side is gone, where it did not say so.
  keepAlive: true,
})

const ignore = () => {}
