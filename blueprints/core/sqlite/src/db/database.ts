import SQLite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { type Config, ConfigError } from '../config.ts'
import type { Table } from './dialect.ts'
import { createFile, restrict } from './file.ts'
import { createGroupCommit, lockTimer } from './group-commit.ts'

/** A connection inside a transaction: reads and writes. */
export type Transaction = BetterSQLite3Database

/** A connection for reads only. A `Transaction` is also a `Reader`. */
export type Reader = Pick<Transaction, 'select' | 'selectDistinct' | '$count'>

export interface Database {
  /** Queries outside a transaction. They see the last committed data. */
  read: Reader
  /**
   * Runs `work` in a transaction, which commits if the promise resolves and rolls back if it rejects. Every write goes
   * through here. In `work`, use only the given `tx` and await only database calls. After a failed query, nothing commits.
   * Transactions of the same moment share a commit: `db.read` would not see those before it.
   * @param options.durable `false` for writes that a power failure may lose: the commit does not wait for the disk
   */
  transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    options?: { durable?: boolean },
  ): Promise<Result>
  /** Resolves if the file has these tables; rejects if not, for example because it was deleted or overwritten. */
  ping(tables: readonly Table[]): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the file, and creates it if it is missing. SQLite allows one writer and many readers (WAL):
 * transactions take turns on one connection, and reads use the other connection without waiting.
 */
export function openDatabase(settings: Config['database'], timer = lockTimer): Database {
  const writer = connect(settings)
  const reader = connect(settings)
  // The driver waits synchronously: while another process holds the lock, a few logins would freeze all requests.
  for (const connection of [writer, reader]) connection.pragma('busy_timeout = 0')
  // A write on this connection would bypass the queue, so SQLite must reject it.
  reader.pragma('query_only = ON')

  const read = drizzle({ client: reader })
  const group = createGroupCommit(writer, timer)

  return {
    read,
    transaction: (work, { durable = true } = {}) =>
      // From now, not from its turn: after a wait for the lock, the transactions behind it must not wait as long again.
      group.add(() => runWork(writer, work), { durable, giveUpAt: timer.now() + settings.busyTimeoutMs }),
    ping: async (tables) => {
      read.get(sql`SELECT 1`)
      // The open connections have read the file before, and answer from memory.
      const fresh = new SQLite(settings.file, { readonly: true, timeout: 0 })
      try {
        for (const table of tables) drizzle({ client: fresh }).get(sql`SELECT 1 FROM ${table} LIMIT 1`)
      } finally {
        fresh.close()
      }
    },
    async close() {
      await group.finish()
      reader.close()
      writer.close()
    },
  }
}

/** Runs `work` on a connection. As on PostgreSQL, nothing runs or commits after a query that failed. */
async function runWork<Result>(writer: SQLite.Database, work: (tx: Transaction) => Promise<Result>) {
  let refusal: unknown
  const call = (target: object, name: PropertyKey, ...values: unknown[]): unknown => {
    if (refusal) throw refusal
    try {
      const result = Reflect.apply(Reflect.get(target, name), target, values)
      return name === 'prepare' || name === 'raw' ? guard(result as object) : result
    } catch (error) {
      refusal = error
      throw error
    }
  }
  const guard = (target: object) => new Proxy(target, { get: (_, name) => call.bind(null, target, name) })
  try {
    const result = await work(drizzle({ client: guard(writer) as SQLite.Database }))
    if (refusal) throw refusal
    return result
  } finally {
    // A query that `work` left behind when it failed: the next transaction would commit it.
    refusal ??= new Error('The transaction has ended')
  }
}

/**
 * Opens a connection to the file, with the settings that all connections of this service use.
 * @param createsFolder whether to create a missing folder. In production, only the migrations do
 * @throws ConfigError that names the file if it cannot be opened or created, or is no database; it is then as it was
 */
export function connect(
  settings: Config['database'],
  createsFolder = !settings.isProduction,
): SQLite.Database {
  const { file, busyTimeoutMs, isProduction } = settings
  try {
    const isNew = createFile(file, createsFolder)
    // `timeout` is SQLite's busy_timeout: how long to wait for another process's lock while the service starts.
    const connection = new SQLite(file, { timeout: busyTimeoutMs })
    // Reads the header, so that a file of something else, such as /etc/passwd, is refused before anything changes it.
    connection.pragma('schema_version')
    restrict(file)
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    // A savepoint keeps the former content of pages. In a file, that would leave the folder, and need one that is writable.
    connection.pragma('temp_store = MEMORY')
    if (isNew && isProduction)
      console.error(`DATABASE_URL: created a new, empty database, because ${file} was missing or empty`)
    return connection
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof Error)) throw error
    const isOther = 'code' in error && error.code === 'SQLITE_NOTADB'
    const reason = isOther ? `${file} is not a SQLite database` : `cannot open ${file}: ${error.message}`
    throw new ConfigError(`DATABASE_URL: ${reason}`, { cause: error })
  }
}
