import { and, gte, inArray, lt, type SQL } from 'drizzle-orm'
import type { Database } from './database.ts'
import type { Column, Table } from './dialect.ts'

/** Small enough for an index lookup per row in PostgreSQL, and for short locks. */
const batchSize = 250

/** Rows to delete: those of `table` whose `time` is before `before`. */
export interface ExpiredRows {
  table: Table
  key: Column
  /** A timestamp with an index. */
  time: Column
  before: Date
  /** Only these of them. Default: all. */
  where?: SQL | undefined
  /** Logged with the number of deleted rows. */
  event?: string
}

/**
 * Deletes rows in many short transactions: after an outage there may be millions. Every instance starts with the
 * oldest, because two instances that lock rows in different orders would deadlock.
 * @param signal stops it after the current transaction
 * @returns the number of deleted rows
 */
export async function deleteInBatches(
  db: Database,
  { table, key, time, before, where }: ExpiredRows,
  signal?: AbortSignal,
): Promise<number> {
  // Each batch continues where the last one ended. In PostgreSQL, an index keeps deleted rows until the next vacuum: from
  // the beginning, every batch would read all of them again.
  let from = 0
  let count = 0
  while (!signal?.aborted) {
    const deleted = await db.transaction(
      (tx) => {
        const expired = tx
          .select({ key })
          .from(table)
          .where(and(gte(time, new Date(from)), lt(time, before), where))
          .orderBy(time)
          .limit(batchSize)
        return tx.delete(table).where(inArray(key, expired)).returning({ time })
      },
      // Rows that a power cut restores are deleted by the next run.
      { durable: false },
    )
    // Requests get their turn: SQLite is synchronous, so no await above has left it to them.
    await new Promise((resolve) => setImmediate(resolve))
    count += deleted.length
    if (deleted.length < batchSize) break
    from = Math.max(...deleted.map((row) => Number(row.time)))
  }
  return count
}
