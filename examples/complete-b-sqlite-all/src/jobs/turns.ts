import { eq, gt, lte, or, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { timeIn } from '../db/queries.ts'
import { attempts } from '../db/schema/attempts.ts'
import { attemptKeys } from '../limits/attempts.ts'

/**
 * Takes a turn of a job that instances do in turns. If an instance dies in its turn, the turn still ends in time. By the
 * clock of the database: those of two instances may differ by more than a turn, and both would work.
 * @param turnMs how long a turn lasts, in milliseconds
 * @returns where the last turn stopped, 0 at first, or undefined during the turn of another instance
 */
export async function takeTurn(db: Database, job: string, turnMs: number): Promise<number | undefined> {
  // An end far in the future is from before the clock of the database went back.
  const isOver = or(lte(attempts.endsAt, timeIn(0)), gt(attempts.endsAt, timeIn(2 * turnMs)))
  const [turn] = await db.transaction(
    (tx) =>
      tx
        .insert(attempts)
        .values({ ...attemptKeys(job, ''), count: 0, endsAt: timeIn(turnMs) })
        .onConflictDoUpdate({
          target: attempts.key,
          set: { endsAt: sql`excluded.ends_at` },
          setWhere: isOver,
        })
        .returning({ position: attempts.count }),
    { durable: false },
  )
  return turn?.position
}

/** Records where the work of a turn stopped. The turn itself ends by its time. */
export async function savePosition(db: Database, job: string, position: number): Promise<void> {
  const { key } = attemptKeys(job, '')
  await db.transaction(
    async (tx) => void (await tx.update(attempts).set({ count: position }).where(eq(attempts.key, key))),
    { durable: false },
  )
}
