import { and, eq, gt, gte, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import type { Column, Table } from '../db/dialect.ts'
import { skipLocked, timeIn } from '../db/queries.ts'
import { attempts } from '../db/schema/attempts.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { outbox } from '../db/schema/outbox.ts'
import { users } from '../db/schema/users.ts'
import { verificationCodes } from '../db/schema/verification-codes.ts'
import { keepMs } from '../email/outbox.ts'
import { attemptKeys } from '../limits/attempts.ts'
import { sessions } from '../sessions/store.ts'
import { noPendingEmail } from '../users/emails.ts'

/** Few enough for short locks, and for PostgreSQL to look up each row by its key, once the table has about 100,000 rows. */
const batchSize = 250

/** How often the instances together clean up, in milliseconds. */
const turnMs = 10 * 60_000

/** How long a run may take, in milliseconds. It ends before the next turn, so that no two instances clean up at a time. */
const maxRunMs = 9 * 60_000

/** Rows that a power cut restores are deleted by the next run. */
const notDurable = { durable: false }

type CleanUpContext = Pick<Context, 'config' | 'db' | 'expiringRows' | 'log' | 'now'>

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

/** Rows to delete, or to `clear`: those whose `time`, which has an index, is more than `afterMs` ago. */
export interface ExpiringRows {
  table: Table
  key: Column
  time: Column
  afterMs?: number
  where?: SQL | undefined
  clear?: Record<string, null>
  /** Logged with the number of rows. */
  event?: string
}

function expiringRows({ email: { unverifiedUserDays } }: Config): ExpiringRows[] {
  /** Otherwise anyone could keep the address of a stranger occupied for ever. */
  const unclaimed: ExpiringRows = {
    table: users,
    key: users.id,
    time: users.unclaimedSince,
    afterMs: unverifiedUserDays * 24 * 60 * 60_000,
    where: and(
      // Users that an administrator changed stay.
      eq(users.isVerified, false),
      eq(users.isActive, true),
      eq(users.isSuperuser, false),
    ),
    event: 'registration.expired',
  }
  return [
    { table: attempts, key: attempts.key, time: attempts.endsAt },
    { table: sessions, key: sessions.id, time: sessions.expiresAt },
    { table: verificationCodes, key: verificationCodes.id, time: verificationCodes.expiresAt },
    { table: emailChanges, key: emailChanges.id, time: emailChanges.expiresAt },
    { table: outbox, key: outbox.id, time: outbox.createdAt, afterMs: keepMs },
    { table: users, key: users.id, time: users.pendingEmailExpiresAt, clear: noPendingEmail },
    ...(unverifiedUserDays > 0 ? [unclaimed] : []),
  ]
}

/** Deletes expired rows. @param stop ends it after the current transaction */
export async function cleanUp(ctx: CleanUpContext, stop?: AbortSignal): Promise<void> {
  const { config, db, log, now } = ctx
  const startedAt = now()
  const mustStop = () => stop?.aborted === true || now() >= startedAt + maxRunMs
  for (const { table, key, time, afterMs = 0, where, clear, event } of [
    ...expiringRows(config),
    ...ctx.expiringRows,
  ]) {
    // By both clocks: an instance whose clock is ahead must not delete the sessions of all others.
    const isExpired = and(lt(time, new Date(startedAt - afterMs)), lt(time, timeIn(-afterMs)), where)
    let [from, count, isLast] = [new Date(0), 0, false]
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
          await (clear ? tx.update(table).set(clear) : tx.delete(table)).where(inArray(key, keys))
          return found
        }, notDurable)
        from = rows.at(-1)?.time as Date
        count += rows.length
        isLast = rows.length < batchSize
      }
    } catch (error) {
      // The next tables are cleaned up nevertheless: a fault in one must not fill the disk with the others.
      log.error({ event: 'clean_up.failed', err: error }, 'clean-up of a table failed')
    }
    if (event && count > 0) log.info({ event, count }, 'clean-up deleted rows')
  }
}
