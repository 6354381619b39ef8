import { createHash } from 'node:crypto'
import { and, eq, gt, inArray, lte, or, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { attempts } from '../db/schema/attempts.ts'
import { ApiError } from '../errors/api-error.ts'

export interface Attempt {
  /** What is attempted. Each kind has a separate count. */
  kind: string
  account: string
  /** Default: all clients share one count. */
  client?: string
  max: number
  /** Length of a window, in milliseconds. It starts with the first attempt. */
  windowMs: number
}

export interface TakenAttempt {
  /** The key of the count. */
  key: string
  /** The seconds until the window ends, if it already has `max`: the attempt is not counted. */
  refusedFor?: number
}

/**
 * How far the clock of another instance may be ahead, in milliseconds. Beyond it, an attacker who alternates between the
 * instances begins a new window with each guess.
 */
const clockSkewMs = 15 * 60_000

/**
 * Limits what one user may try in an hour, whatever the outcome: a refused change also tells something, such as that an
 * address is registered.
 * @throws ApiError too_many_requests beyond `max`
 */
export async function limitUser(ctx: Context, userId: number, kind: string, max: number): Promise<void> {
  if (!ctx.config.rateLimits.enabled) return
  const attempt = { kind, max, account: String(userId), windowMs: 60 * 60_000 }
  await ctx.db.transaction(
    async (tx) => {
      for (const taken of await takeAttempts(tx, [attempt], ctx.now())) requireCounted(taken, kind)
    },
    { durable: false },
  )
}

/** Rolls the transaction back, so that a refused attempt does not count anywhere. @throws ApiError too_many_requests */
export function requireCounted({ refusedFor }: TakenAttempt, limit: string): void {
  if (refusedFor !== undefined)
    throw new ApiError('too_many_requests', { retryAfter: refusedFor, log: { limit } })
}

/**
 * Counts attempts, each unless its window already has `max`. One statement, which locks the rows in the order of their
 * keys: two transactions that lock the same rows in another order could deadlock.
 * @returns the outcome of each, in the order given
 */
export async function takeAttempts(tx: Transaction, given: Attempt[], now: number): Promise<TakenAttempt[]> {
  const rows = given.map(({ kind, account, client, max, windowMs }) => {
    const endsAt = new Date(now + windowMs)
    return { ...attemptKeys(kind, account, client), max, count: 1, endsAt }
  })
  const sorted = rows.toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const isOver = or(lte(attempts.endsAt, new Date(now)), eq(attempts.count, 0))
  const maxOf = sorted.map(({ key, max }) => sql`WHEN ${key} THEN CAST(${max} AS integer)`)
  const counted = await tx
    .insert(attempts)
    .values(sorted)
    .onConflictDoUpdate({
      target: attempts.key,
      set: {
        count: sql`CASE WHEN ${isOver} THEN 1 ELSE ${attempts.count} + 1 END`,
        endsAt: sql`CASE WHEN ${isOver} THEN excluded.ends_at ELSE ${attempts.endsAt} END`,
      },
      setWhere: or(isOver, sql`${attempts.count} < CASE excluded.key ${sql.join(maxOf, sql` `)} END`),
    })
    .returning({ key: attempts.key })
  const taken: TakenAttempt[] = []
  for (const { key, endsAt } of rows) {
    const isCounted = counted.some((row) => row.key === key)
    taken.push(isCounted ? { key } : await refuse(tx, key, endsAt, now))
  }
  return taken
}

/** @param latest the end of a window that begins now */
async function refuse(tx: Transaction, key: string, latest: Date, now: number): Promise<TakenAttempt> {
  const [row] = await tx.select().from(attempts).where(eq(attempts.key, key))
  const endsAt = row?.endsAt ?? latest
  // A later end is from before the clock went back: the window would last until it has caught up.
  if (endsAt.getTime() > latest.getTime() + clockSkewMs) {
    await tx.update(attempts).set({ count: 1, endsAt: latest }).where(eq(attempts.key, key))
    return { key }
  }
  const remainingMs = Math.min(endsAt.getTime(), latest.getTime()) - now
  return { key, refusedFor: Math.max(1, Math.ceil(remainingMs / 1000)) }
}

/** Deletes all counts of these accounts, for every client. */
export async function forgetAttempts(tx: Transaction, kind: string, accounts: string[]): Promise<void> {
  const hashes = accounts.map((account) => attemptKeys(kind, account).account)
  await tx.delete(attempts).where(inArray(attempts.account, hashes))
}

/** Takes attempts back. A window with none left begins with the next one. */
export async function uncountAttempts(tx: Transaction, keys: string[]): Promise<void> {
  if (keys.length === 0) return
  await tx
    .update(attempts)
    .set({ count: sql`${attempts.count} - 1` })
    .where(and(inArray(attempts.key, keys), gt(attempts.count, 0)))
}

/** The hashes under which attempts are stored: of this client, and of the account to delete all of them. */
export const attemptKeys = (kind: string, account: string, client = '') => ({
  key: hash([kind, account, client]),
  account: hash([kind, account]),
})

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')
