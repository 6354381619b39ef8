import { createHash } from 'node:crypto'
import { and, eq, gt, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/database.ts'
import { attempts } from '../db/schema/attempts.ts'
import { ApiError } from '../errors.ts'

/** The account that an attempt is for: the id of the user, or the canonical name if there is no such user. */
export type Account = number | string

export interface AttemptLimit {
  /** What is attempted. Each kind has a separate count. */
  kind: string
  max: number
  /** Length of a window, in milliseconds. It starts with the first attempt. */
  windowMs: number
}

/**
 * Counts failed logins by account and address. In the database, so the limit is shared by all processes and survives
 * a restart. By address, so an attacker cannot lock the user out with wrong passwords.
 */
export function createLoginAttempts(db: Database, now: () => number, max: number) {
  const limit: AttemptLimit = { kind: 'login', max, windowMs: 60_000 }
  return {
    /**
     * Counts an attempt as failed before the password is verified, so concurrent guesses cannot exceed `max`. Call
     * `giveBack` if the attempt succeeds.
     * @param client from clientOf()
     * @returns the argument for `giveBack`
     * @throws ApiError too_many_requests, even for the right password: an attacker must not learn that it is right
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

    /** Uncounts one attempt. Earlier failures still count. */
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
 * Counts one attempt, unless the window already has `max`.
 * @returns the key of the count and, if the attempt was refused, the seconds until the window ends
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

/** Resets the count of an account, for every address. */
export async function forgetAttempts(tx: Transaction, account: Account): Promise<void> {
  await tx.delete(attempts).where(eq(attempts.account, hash(account)))
}

/** Deletes at most `limit` counts whose window has ended. @returns how many */
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
