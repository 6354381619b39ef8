import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import type { Config } from '../config.ts'
import type { Table } from './dialect.ts'
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
   * through here. In `work`, use only the given `tx` and await only database calls. Transactions of the same moment share
   * a commit: `db.read` would not see those before it.
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
 * Opens the file, and creates it and its folder if missing. SQLite allows one writer and many readers (WAL):
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
  const write = drizzle({ client: writer })
  const group = createGroupCommit(writer, timer)

  return {
    read,
    transaction: (work, { durable = true } = {}) =>
      // From now, not from its turn: after a wait for the lock, the transactions behind it must not wait as long again.
      group.add(() => work(write), { durable, giveUpAt: timer.now() + settings.busyTimeoutMs }),
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

/**
 * Opens a connection to the file, with the settings that all connections of this service use.
 * @throws Error that names the file if it cannot be opened or created
 */
export function connect({ file, busyTimeoutMs }: Config['database']): SQLite.Database {
  try {
    // Only the service's account may open the folder, because the file can contain password hashes.
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    restrict(file)
    // `timeout` is SQLite's busy_timeout: how long to wait for another process's lock while the service starts.
    const connection = new SQLite(file, { timeout: busyTimeoutMs })
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    // A savepoint keeps the former content of pages. In a file, that would leave the folder, and need one that is writable.
    connection.pragma('temp_store = MEMORY')
    return connection
  } catch (error) {
    throw new Error(`Cannot open the database file ${file}: check DATABASE_URL`, { cause: error })
  }
}

/** Only the service's account may read the file: in an existing folder, other accounts could copy the hashes. */
function restrict(file: string): void {
  // SQLite would create a file that everyone can read. An existing one must not be opened here: closing it would release
  // the locks of other connections of this process (sqlite.org/howtocorrupt.html section 2.2).
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  for (const part of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(part, 0o600)
    } catch (error) {
      // SQLite adds the missing ones later, with the mode of the file.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}
