import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import pLimit from 'p-limit'
import type { Config } from '../config.ts'

/** A connection inside a transaction: reads and writes. */
export type Transaction = BetterSQLite3Database

/** Reads only. A `Transaction` can be handed to whatever takes a `Reader`. */
export type Reader = Pick<Transaction, 'select' | 'selectDistinct' | '$count'>

export interface Database {
  /** Queries outside of a transaction. They see what was committed last. */
  read: Reader
  /**
   * Runs `work` in a transaction: all of it is committed when the promise resolves, none of it when it rejects. Every
   * write goes through here. Inside, use only the `tx` given, and wait for nothing but the database.
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

/**
 * Opens the file of `settings.file`, and makes it and its folder where they are missing.
 *
 * Two connections: SQLite allows one writer at a time and any number of readers beside it (WAL). Transactions queue up
 * for the writer, so that two requests never find themselves in one transaction; reads never wait.
 */
export function openDatabase(settings: Config['database']): Database {
  const writer = connect(settings)
  const reader = connect(settings)
  // A write here would slip past the queue; SQLite refuses it from now on.
  reader.pragma('query_only = ON')

  const read = drizzle(reader)
  const write = drizzle(writer)
  const oneAtATime = pLimit(1)

  return {
    read,
    transaction: (work, { durable = true } = {}) =>
      oneAtATime(async () => {
        // FULL: what was answered with 2xx is on the disk, also after a power cut. NORMAL writes it a little later; a
        // crash of the process loses nothing.
        writer.pragma(`synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
        // IMMEDIATE takes the write lock first: a transaction that reads and then writes never meets a conflict.
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
 * One connection to the file, set up the way every connection of this service is.
 * @throws Error that names the file, where it cannot be opened or made
 */
export function connect({ file, busyTimeoutMs }: Config['database']): SQLite.Database {
  try {
    // Only the service's own account may list the folder: the file in it holds every password hash.
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // `timeout` is SQLite's busy_timeout: how long to wait for a lock that another process holds.
    const connection = new SQLite(file, { timeout: busyTimeoutMs })
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    return connection
  } catch (error) {
    throw new Error(`Cannot open the database file ${file}`, { cause: error })
  }
}
