import { createHash } from 'node:crypto'
import { and, eq, gt, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/database.ts'
import { attempts } from '../db/schema/attempts.ts'
import { ApiError } from '../errors.ts'

/** Whom an attempt is aimed at: the id of a user, or the name, in one form, where nobody has it. */
export type Account = number | string

export interface AttemptLimit {
  /** Name of what is tried: each kind counts for itself. */
  kind: string
  max: number
  /** Length of a window, in milliseconds; it starts with the first attempt. */
  windowMs: number
}

/**
 * Counts failed logins by account and address, in the database: one limit for all processes, and it survives a restart.
 * By address too, so that an attacker who fails on purpose locks out nobody but himself.
 */
export function createLoginAttempts(db: Database, now: () => number, max: number) {
  const limit: AttemptLimit = { kind: 'login', max, windowMs: 60_000 }
  return {
    /**
     * Counts an attempt as failed, before the password is looked at: of many guesses sent at once no more than `max`
     * get through. Give it back if it succeeds.
     * @param client from clientOf(): known and unknown accounts count alike
     * @returns what `giveBack` takes
     * @throws ApiError too_many_requests, also for the right password: it would tell a guesser that he has it
     */
    async take(account: Account, client: string): Promise<string> {
      const attempt = await db.transaction((tx) => takeAttempt(tx, limit, account, client, now()), {
        durable: false,
      })
      if (attempt.refusedFor !== undefined) {
        throw new ApiError('too_many_requests', { retryAfter: attempt.refusedFor })
      }
      return attempt.key
    },

    /** Takes one attempt back, and no more: failures before it still count. */
    async giveBack(key: string): Promise<void> {
      await db.transaction(
        async (tx) => {
          await tx
            .update(attempts)
            .set({ count: sql`${attempts.count} - 1` })
            .where(and(eq(attempts.key, key), gt(attempts.count, 0)))
        },
        { durable: false },
      )
    },
  }
}

/**
 * Counts one attempt, unless the window has had its `max` already.
 * @returns the key of the count, and the seconds until the window ends if the attempt was refused
 */
export async function takeAttempt(
  tx: Transaction,
  { kind, max, windowMs }: AttemptLimit,
  account: Account,
  client: string,
  now: number,
): Promise<{ key: string; refusedFor?: number }> {
  const key = hash([kind, account, client])
  const isOver = lte(attempts.endsAt, new Date(now))
  const counted = await tx
    .insert(attempts)
    .values({ key, account: hash(account), count: 1, endsAt: new Date(now + windowMs) })
    .onConflictDoUpdate({
      target: attempts.key,
      set: {
        count: sql`CASE WHEN ${isOver} THEN 1 ELSE ${attempts.count} + 1 END`,
        endsAt: sql`CASE WHEN ${isOver} THEN excluded.ends_at ELSE ${attempts.endsAt} END`,
      },
      setWhere: or(isOver, lt(attempts.count, max)),
    })
    .returning({ key: attempts.key })
  if (counted.length > 0) return { key }
  const [refused] = await tx.select().from(attempts).where(eq(attempts.key, key))
  const endsAt = refused?.endsAt.getTime() ?? now
  return { key, refusedFor: Math.max(1, Math.ceil((endsAt - now) / 1000)) }
}

/** Lets the account be tried again at once, from everywhere. */
export async function forgetAttempts(tx: Transaction, account: Account): Promise<void> {
  await tx.delete(attempts).where(eq(attempts.account, hash(account)))
}

/** Deletes counts whose window is over, as many as `limit`. @returns how many */
export async function purgeAttempts(tx: Transaction, now: number, limit: number): Promise<number> {
  const isOver = lt(attempts.endsAt, new Date(now))
  const over = tx
    .select({ key: attempts.key })
    .from(attempts)
    .where(isOver)
    .orderBy(attempts.endsAt)
    .limit(limit)
  return (await tx.delete(attempts).where(inArray(attempts.key, over)).returning({ key: attempts.key }))
    .length
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')
