import { and, asc, desc, gt, gte, inArray, lt, lte, type SQL } from 'drizzle-orm'
import type { Database } from './database.ts'
import type { Column, Table } from './dialect.ts'
import { timeIn } from './queries.ts'

/** Small enough for an index lookup per row in PostgreSQL, and for short locks. */
const batchSize = 250

/** How many rows a batch reads if the time has no index. */
const rangeSize = 1_000

/** How many keys a turn reads at most if the time has no index. The next turn reads the next ones. */
const keysPerTurn = 5_000_000

/** Rows to delete: those of `table` whose `time` is before `before`. */
export interface ExpiredRows {
  table: Table
  key: Column
  /** A timestamp with an index, unless `byKey` is set. */
  time: Column
  before: Date
  /** Reads all rows in the order of the key, in several turns: for a time that changes too often for an index. */
  byKey?: boolean
  /** Only these of them. Default: all. */
  where?: SQL | undefined
  /** Logged with the number of deleted rows. */
  event?: string
}

/** Deletes one batch. @param from where the last one ended @returns where this one ended; undefined after the last one */
type DeleteBatch = (from: number) => Promise<{ count: number; end: number | undefined }>

interface Turn {
  /** The time of this instance, in milliseconds since 1970. */
  now: number
  /** The number of the turn. */
  turn: number
  /** Asked after each transaction. */
  mustStop: () => boolean
}

/**
 * Deletes rows in many short transactions: after an outage there may be millions. The oldest first, because two
 * instances that lock rows in different orders would deadlock: one of an older version does not wait for its turn.
 * @returns the number of deleted rows
 */
export async function deleteInBatches(
  db: Database,
  expired: ExpiredRows,
  { now, turn, mustStop }: Turn,
): Promise<number> {
  const { time, before, where } = expired
  // By both clocks: an instance whose clock is ahead must not delete the sessions of all others.
  const isExpired = and(lt(time, before), lt(time, timeIn(before.getTime() - now)), where)
  const deleteBatch = expired.byKey
    ? await inOrderOfKeys(db, expired, isExpired, turn)
    : inOrderOfTimes(db, expired, isExpired)
  // Each batch continues where the last one ended. In PostgreSQL, an index keeps deleted rows until the next vacuum: from
  // the beginning, every batch would read all of them again.
  let from: number | undefined = 0
  let total = 0
  while (from !== undefined && !mustStop()) {
    const { count, end } = await deleteBatch(from)
    // Requests get their turn: SQLite is synchronous, so no await above has left it to them.
    await new Promise((resolve) => setImmediate(resolve))
    total += count
    from = end
  }
  return total
}

/** Finds the expired rows by the index on their time. */
const inOrderOfTimes =
  (db: Database, { table, key, time }: ExpiredRows, isExpired: SQL | undefined): DeleteBatch =>
  async (from) => {
    const deleted = await db.transaction((tx) => {
      const expired = tx
        .select({ key })
        .from(table)
        .where(and(gte(time, new Date(from)), isExpired))
        .orderBy(time)
        .limit(batchSize)
      return tx.delete(table).where(inArray(key, expired)).returning({ time })
    }, notDurable)
    const isLast = deleted.length < batchSize
    return {
      count: deleted.length,
      end: isLast ? undefined : Math.max(...deleted.map((row) => Number(row.time))),
    }
  }

/** Reads the rows of a turn by their key, a range at a time. */
async function inOrderOfKeys(
  db: Database,
  { table, key }: ExpiredRows,
  isExpired: SQL | undefined,
  turn: number,
): Promise<DeleteBatch> {
  // Two queries: SQLite reads the whole table for min and max in one.
  const [oldest] = await db.read.select({ key }).from(table).orderBy(asc(key)).limit(1)
  const [newest] = await db.read.select({ key }).from(table).orderBy(desc(key)).limit(1)
  const [firstPart, lastPart] = [partOf(oldest), partOf(newest)]
  const part = firstPart + (turn % (lastPart - firstPart + 1))
  const isInPart = and(gte(key, part * keysPerTurn), lt(key, (part + 1) * keysPerTurn))
  return async (from) => {
    const isLeft = and(isInPart, gt(key, from))
    const [last] = await db.read
      .select({ key })
      .from(table)
      .where(isLeft)
      .orderBy(key)
      .offset(rangeSize - 1)
      .limit(1)
    const isInRange = and(isLeft, last && lte(key, last.key))
    const deleted = await db.transaction(
      (tx) => tx.delete(table).where(and(isInRange, isExpired)).returning({ key }),
      notDurable,
    )
    return { count: deleted.length, end: last && Number(last.key) }
  }
}

const partOf = (row: { key: unknown } | undefined): number => Math.floor(Number(row?.key ?? 0) / keysPerTurn)

/** Rows that a power cut restores are deleted by the next run. */
const notDurable = { durable: false }
