import { and, gt, gte, inArray, lt, lte, type SQL } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database, Transaction } from './database.ts'
import type { Column, Table } from './dialect.ts'
import { timeIn } from './queries.ts'

/** Few enough for short locks, and for PostgreSQL to look up each row by its key, once the table has about 100,000 rows. */
const batchSize = 250

/** How many rows a batch reads if the time has no index. */
const rangeSize = 1_000

/** What decides which rows have expired. */
export interface Expiry {
  config: Config
  /** Milliseconds since 1970. */
  now: number
}

/** Rows to delete: those of `table` whose `time` is before `before`. */
export interface ExpiredRows {
  table: Table
  key: Column
  /** A timestamp with an index, unless `byKey` is set. */
  time: Column
  before: Date
  /** Reads all rows in the order of the key: for a time that changes too often for an index. One table at most has it. */
  byKey?: boolean
  /** Only these of them. Default: all. */
  where?: SQL | undefined
  /** Rows that belong to them without a reference, and are deleted in the same transaction: `key` has the key of theirs. */
  owned?: { table: Table; key: Column }
  /** Sets these columns, the time among them, instead of deleting the rows. */
  cleared?: Record<string, null>
  /** Logged with the number of deleted rows. */
  event?: string
}

/** Deletes one batch. @param from where the last one ended @returns where this one ended; undefined after the last one */
type DeleteBatch = (from: number) => Promise<{ count: number; end: number | undefined }>

interface Run {
  /** The time of this instance, in milliseconds since 1970. */
  now: number
  /** Where to start: a key, or a time in milliseconds since 1970. */
  from: number
  /** Asked after each transaction. */
  mustStop: () => boolean
  /** Called after each batch with where it ended: undefined after the last one. */
  onEnd?: (end: number | undefined) => void
}

/**
 * Deletes rows in many short transactions: after an outage there may be millions. The oldest first, because two
 * instances that lock rows in different orders would deadlock.
 * @returns the number of deleted rows
 */
export async function deleteInBatches(
  db: Database,
  expired: ExpiredRows,
  { now, from, mustStop, onEnd }: Run,
): Promise<number> {
  const { time, before, where } = expired
  // By both clocks: an instance whose clock is ahead must not delete the sessions of all others.
  const isExpired = and(lt(time, before), lt(time, timeIn(before.getTime() - now)), where)
  const deleteBatch = expired.byKey
    ? inOrderOfKeys(db, expired, isExpired)
    : inOrderOfTimes(db, expired, isExpired)
  // Each batch continues where the last one ended. In PostgreSQL, an index keeps deleted rows until the next vacuum: from
  // the beginning, every batch would read all of them again.
  let end: number | undefined = from
  let total = 0
  while (end !== undefined && !mustStop()) {
    const batch = await deleteBatch(end)
    // Requests get their turn: SQLite is synchronous, so no await above has left it to them.
    await new Promise((resolve) => setImmediate(resolve))
    total += batch.count
    end = batch.end
    onEnd?.(end)
  }
  return total
}

/** Finds the expired rows by the index on their time. */
const inOrderOfTimes =
  (db: Database, expired: ExpiredRows, isExpired: SQL | undefined): DeleteBatch =>
  async (from) => {
    const { table, key, time } = expired
    const deleted = await db.transaction((tx) => {
      const oldest = tx
        .select({ key })
        .from(table)
        .where(and(gte(time, new Date(from)), isExpired))
        .orderBy(time)
        .limit(batchSize)
      return deleteRows(tx, expired, inArray(key, oldest))
    }, notDurable)
    const isLast = deleted.length < batchSize
    return {
      count: deleted.length,
      end: isLast ? undefined : expired.cleared ? from : Math.max(...deleted.map((row) => Number(row.time))),
    }
  }

/** Reads all rows by their key, a range at a time. */
const inOrderOfKeys =
  (db: Database, expired: ExpiredRows, isExpired: SQL | undefined): DeleteBatch =>
  async (from) => {
    const { table, key } = expired
    const [last] = await db.read
      .select({ key })
      .from(table)
      .where(gt(key, from))
      .orderBy(key)
      .offset(rangeSize - 1)
      .limit(1)
    const isInRange = and(gt(key, from), last && lte(key, last.key))
    const deleted = await db.transaction(
      (tx) => deleteRows(tx, expired, and(isInRange, isExpired)),
      notDurable,
    )
    return { count: deleted.length, end: last && Number(last.key) }
  }

/** Deletes or clears these rows, and deletes those that belong to them. */
async function deleteRows(
  tx: Transaction,
  { table, key, owned, time, cleared }: ExpiredRows,
  where: SQL | undefined,
) {
  const rows = cleared
    ? await tx.update(table).set(cleared).where(where).returning({ key, time })
    : await tx.delete(table).where(where).returning({ key, time })
  const keys = rows.map((row) => row.key)
  if (owned && keys.length > 0) await tx.delete(owned.table).where(inArray(owned.key, keys))
  return rows
}

/** Rows that a power cut restores are deleted by the next run. */
const notDurable = { durable: false }
