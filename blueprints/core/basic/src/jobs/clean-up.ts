import { and, gt, gte, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import type { Column, Table } from '../db/dialect.ts'
import { skipLocked, timeIn } from '../db/queries.ts'
import { attempts } from '../db/schema/attempts.ts'
import { attemptKeys } from '../limits/attempts.ts'

/** Few enough for short locks, and for PostgreSQL to look up each row by its key, once the table has about 100,000 rows. */
const batchSize = 250

/** How often the instances together clean up, in milliseconds. */
const turnMs = 10 * 60_000

/** How long a run may take, in milliseconds. It ends before the next turn, so that no two instances clean up at a time. */
const maxRunMs = 9 * 60_000

/** Rows that a power cut restores are deleted by the next run. */
const notDurable = { durable: false }

type CleanUpContext = Pick<Context, 'config' | 'db' | 'log' | 'now'>

/** Cleans up if no instance has done so in the last ten minutes. @param stop ends it after the current transaction */
export async function cleanUpInTurn(ctx: CleanUpContext, stop?: AbortSignal): Promise<void> {
  if (await takeTurn(ctx.db)) await cleanUp(ctx, stop)
}

/**
 * Takes the turn to clean up. If an instance dies in its turn, the turn still ends in time. By the clock of the database:
 * those of two instances may differ by more than a turn, and both would work.
 */
export async function takeTurn(db: Database): Promise<boolean> {
  const turn = { ...attemptKeys('clean-up', ''), count: 0, endsAt: timeIn(turnMs) }
  const set = { endsAt: sql`excluded.ends_at` }
  // An end far in the future is from before the clock of the database went back.
  const setWhere = or(lte(attempts.endsAt, timeIn(0)), gt(attempts.endsAt, timeIn(2 * turnMs)))
  const taken = await db.transaction((tx) => {
    const insert = tx.insert(attempts).values(turn)
    return insert.onConflictDoUpdate({ target: attempts.key, set, setWhere }).returning({ key: attempts.key })
  }, notDurable)
  return taken.length > 0
}

/** Rows to delete: those whose `time`, which has an index, is past. */
interface ExpiredRows {
  table: Table
  key: Column
  time: Column
}

const expiredRows: ExpiredRows[] = [{ table: attempts, key: attempts.key, time: attempts.endsAt }]

/** Deletes expired rows. @param stop ends it after the current transaction */
export async function cleanUp({ db, log, now }: CleanUpContext, stop?: AbortSignal): Promise<void> {
  const startedAt = now()
  const mustStop = () => stop?.aborted === true || now() >= startedAt + maxRunMs
  for (const { table, key, time } of expiredRows) {
    // By both clocks: an instance whose clock is ahead must not delete the rows of all others.
    const isExpired = and(lt(time, new Date(startedAt)), lt(time, timeIn(0)))
    let [from, isLast] = [new Date(0), false]
    try {
      // Short transactions: after an outage there may be millions of rows.
      while (!isLast && !mustStop()) {
        const rows = await db.transaction(async (tx) => {
          // Continues where the last batch ended: in PostgreSQL, an index keeps deleted rows until the next vacuum.
          const oldest = tx
            .select({ key, time })
            .from(table)
            .where(and(gte(time, from), isExpired))
            .orderBy(time)
            .limit(batchSize)
          const found = await skipLocked(oldest)
          const keys = found.map((row) => row.key)
          await tx.delete(table).where(inArray(key, keys))
          return found
        }, notDurable)
        from = rows.at(-1)?.time as Date
        isLast = rows.length < batchSize
      }
    } catch (error) {
      // The next tables are cleaned up nevertheless: a fault in one must not fill the disk with the others.
      log.error({ event: 'clean_up.failed', err: error }, 'clean-up of a table failed')
    }
  }
}
