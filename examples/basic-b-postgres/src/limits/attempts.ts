import { createHash } from 'node:crypto'
import { and, eq, gt, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { ExpiredRows } from '../db/batches.ts'
import type { Database, Transaction } from '../db/database.ts'
import { attempts } from '../db/schema/attempts.ts'
import { ApiError } from '../errors/api-error.ts'

export interface AttemptLimit {
  /** What is attempted. Each kind has a separate count. */
  kind: string
  max: number
  /** Length of a window, in milliseconds. It starts with the first attempt. */
  windowMs: number
}

/**
 * How far the clock of another instance may be ahead, in milliseconds. Beyond it, an attacker who alternates between the
 * instances begins a new window with each guess.
 */
const clockSkewMs = 15 * 60_000

/**
 * Limits what one user may try in an hour, whatever the outcome: a refused change also tells something, such as that an
 * address is registered.
 * @returns a function that counts an attempt, for each of the networks of its client if it is given them, and throws
 *   ApiError too_many_requests beyond `max`
 */
export const createUserLimit =
  ({ config, db, now }: { config: Config; db: Database; now: () => number }, kind: string, max: number) =>
  async (userId: number, networks = [{ network: '', times: 1 }]): Promise<void> => {
    if (!config.rateLimits.enabled) return
    await db.transaction(
      async (tx) => {
        const count = async ({ network, times }: { network: string; times: number }) => {
          const limit: AttemptLimit = { kind, max: max * times, windowMs: 60 * 60_000 }
          const by = { account: String(userId), client: network }
          const { refusedFor } = await takeAttempt(tx, limit, by, now())
          // Rolls back, so that a refused attempt does not count anywhere.
          if (refusedFor !== undefined)
            throw new ApiError('too_many_requests', { retryAfter: refusedFor, log: { limit: kind } })
        }
        await Promise.all(networks.map(count))
      },
      { durable: false },
    )
  }

/**
 * Counts one attempt, unless the window already has `max`. Without a client, all clients share one count.
 * @returns the key of the count and, if the attempt was refused, the seconds until the window ends
 */
export async function takeAttempt(
  tx: Transaction,
  { kind, max, windowMs }: AttemptLimit,
  { account, client }: { account: string; client?: string },
  now: number,
): Promise<{ key: string; refusedFor?: number }> {
  const keys = attemptKeys(kind, account, client)
  const { key } = keys
  // An end far in the future is from before the clock went back: the window would last until it has caught up.
  const isOver = or(
    lte(attempts.endsAt, new Date(now)),
    gt(attempts.endsAt, new Date(now + windowMs + clockSkewMs)),
  )
  const counted = await tx
    .insert(attempts)
    .values({ ...keys, count: 1, endsAt: new Date(now + windowMs) })
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
  const remainingMs = Math.min(windowMs, (refused?.endsAt.getTime() ?? now) - now)
  return { key, refusedFor: Math.max(1, Math.ceil(remainingMs / 1000)) }
}

/** Deletes all counts of these accounts, for every client. */
export async function forgetAttempts(tx: Transaction, kind: string, accounts: string[]): Promise<void> {
  const hashes = accounts.map((account) => attemptKeys(kind, account).account)
  await tx.delete(attempts).where(inArray(attempts.account, hashes))
}

/** Takes an attempt back. Without a row of its own: logins by many names would fill the table. */
export async function uncountAttempt(tx: Transaction, key: string): Promise<void> {
  const isLast = and(eq(attempts.key, key), lte(attempts.count, 1))
  await tx.delete(attempts).where(isLast)
  await tx
    .update(attempts)
    .set({ count: sql`${attempts.count} - 1` })
    .where(eq(attempts.key, key))
}

/** The counts whose window has ended. */
export const expiredAttempts = (now: number): ExpiredRows => ({
  table: attempts,
  key: attempts.key,
  time: attempts.endsAt,
  before: new Date(now),
})

/** The hashes under which attempts are stored: of this client, and of the account to delete all of them. */
export const attemptKeys = (kind: string, account: string, client = '') => ({
  key: hash([kind, account, client]),
  account: hash([kind, account]),
})

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')
