import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import pLimit from 'p-limit'
import type { Config } from '../config.ts'

/** A connection inside a transaction: reads and writes. */
export type Transaction = BetterSQLite3Database

/** A connection for reads only. A `Transaction` is also a `Reader`. */
export type Reader = Pick<Transaction, 'select' | 'selectDistinct' | '$count'>

export interface Database {
  /** Queries outside a transaction. They see the last committed data. */
  read: Reader
  /**
   * Runs `work` in a transaction, which commits if the promise resolves and rolls back if it rejects. Every write goes
   * through here. In `work`, use only the given `tx` and await only database calls.
   * @param options.durable `false` for writes that a power failure may lose: the commit does not wait for the disk
   */
  transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    options?: { durable?: boolean },
  ): Promise<Result>
  /** Resolves if the database responds to a query, and rejects otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the file, and creates it and its folder if missing. SQLite allows one writer and many readers (WAL):
 * transactions take turns on one connection, and reads use the other connection without waiting.
 */
export function openDatabase(settings: Config['database']): Database {
  const writer = connect(settings)
  const reader = connect(settings)
  // A write on this connection would bypass the queue, so SQLite must reject it.
  reader.pragma('query_only = ON')

  const read = drizzle(reader)
  const write = drizzle(writer)
  const oneAtATime = pLimit(1)

  return {
    read,
    transaction: (work, { durable = true } = {}) =>
      oneAtATime(async () => {
        // FULL: a committed change survives a power failure. NORMAL: the disk write follows later, so a power failure
        // can lose the change. A crash of the process cannot.
        writer.pragma(`synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
        // IMMEDIATE takes the write lock first, so a transaction that reads and then writes has no conflicts.
        writer.exec('BEGIN IMMEDIATE')
        try {
          const result = await work(write)
          writer.exec('COMMIT')
          return result
        } finally {
          if (writer.inTransaction) writer.exec('ROLLBACK')
        }
      }),
    ping: async () => {
      read.get(sql`SELECT 1`)
    },
    close: () =>
      oneAtATime(async () => {
        reader.close()
        writer.close()
      }),
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
    // `timeout` is SQLite's busy_timeout: how long to wait for another process's lock.
    const connection = new SQLite(file, { timeout: busyTimeoutMs })
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    return connection
  } catch (error) {
    throw new Error(`Cannot open the database file ${file}: check DATABASE_URL`, { cause: error })
  }
}
