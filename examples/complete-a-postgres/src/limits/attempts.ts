import { createHash } from 'node:crypto'
import { and, eq, gt, inArray, lt, lte, or, sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { attempts } from '../db/schema/attempts.ts'
import { ApiError } from '../errors.ts'
import { networksOf } from './address-limit.ts'
import type { GiveBack } from './counts.ts'

export interface AttemptLimit {
  /** What is attempted. Each kind has a separate count. */
  kind: string
  max: number
  /** Length of a window, in milliseconds. It starts with the first attempt. */
  windowMs: number
}

const loginKind = 'login'

/** How far the clock of another instance may be ahead, in milliseconds. */
const clockSkewMs = 60_000

/**
 * Limits failed logins by name and address. Counted in the database, so the limit is shared by all processes and
 * survives a restart. By address, so an attacker cannot lock the user out with wrong passwords.
 */
export function createLoginLimit(db: Database, now: () => number, max: number) {
  const limit: AttemptLimit = { kind: loginKind, max, windowMs: 60_000 }
  return {
    /**
     * Counts an attempt as failed before the password is verified, so concurrent guesses cannot exceed `max`.
     * @param account the canonical name that was typed. By user, a 429 for an email after failures by a username would
     *   reveal that both belong to one account
     * @returns a function that uncounts it. Earlier failures still count
     * @throws ApiError too_many_requests, even for the right password: an attacker must not learn that it is right
     */
    async take(account: string, address: string): Promise<GiveBack> {
      const keys = await db.transaction(
        async (tx) => {
          const counted: string[] = []
          for (const { network, times } of networksOf(address)) {
            const inNetwork = { ...limit, max: max * times }
            const { key, refusedFor } = await takeAttempt(tx, inNetwork, { account, client: network }, now())
            // Rolls back, so that the narrower networks do not count the attempt either.
            if (refusedFor !== undefined)
              throw new ApiError('too_many_requests', { retryAfter: refusedFor, log: { limit: loginKind } })
            counted.push(key)
          }
          return counted
        },
        { durable: false },
      )
      return () =>
        db.transaction(
          async (tx) => {
            // In the order of the attempt: two transactions that lock the same rows in another order could deadlock.
            for (const key of keys) await uncountAttempt(tx, key)
          },
          { durable: false },
        )
    },
  }
}

/**
 * Limits what one user may try in an hour, whatever the outcome: a refused change also tells something, such as that an
 * address is registered.
 * @returns a function that counts an attempt and throws ApiError too_many_requests beyond `max`
 */
export const createUserLimit =
  ({ config, db, now }: { config: Config; db: Database; now: () => number }, kind: string, max: number) =>
  async (userId: number): Promise<void> => {
    if (!config.rateLimits.enabled) return
    const limit: AttemptLimit = { kind, max, windowMs: 60 * 60_000 }
    const { refusedFor } = await db.transaction(
      (tx) => takeAttempt(tx, limit, { account: String(userId) }, now()),
      { durable: false },
    )
    if (refusedFor !== undefined)
      throw new ApiError('too_many_requests', { retryAfter: refusedFor, log: { limit: kind } })
  }

/**
 * Counts one attempt, unless the window already has `max`. Without a client, all clients share one count.
 * @returns the key of the count and, if the attempt was refused, the seconds until the window ends
 */
export async function takeAttempt(
  tx: Transaction,
  { kind, max, windowMs }: AttemptLimit,
  { account, client = '' }: { account: string; client?: string },
  now: number,
): Promise<{ key: string; refusedFor?: number }> {
  const key = hash([kind, account, client])
  // Without an attempt, or if all were taken back, a window starts with the next one. Also with an end far in the future:
  // after the clock went back, a window would last until it has caught up.
  const isOver = or(
    eq(attempts.count, 0),
    lte(attempts.endsAt, new Date(now)),
    gt(attempts.endsAt, new Date(now + windowMs + clockSkewMs)),
  )
  const counted = await tx
    .insert(attempts)
    .values({ key, account: hash([kind, account]), count: 1, endsAt: new Date(now + windowMs) })
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

/** Takes an attempt back. */
export async function uncountAttempt(tx: Transaction, key: string): Promise<void> {
  await tx
    .update(attempts)
    .set({ count: sql`${attempts.count} - 1` })
    .where(and(eq(attempts.key, key), gt(attempts.count, 0)))
}

/** Resets the counts of failed logins by these canonical names, for every client. */
export async function forgetFailedLogins(tx: Transaction, names: string[]): Promise<void> {
  const accounts = names.map((name) => hash([loginKind, name]))
  await tx.delete(attempts).where(inArray(attempts.account, accounts))
}

/** Deletes at most `limit` counts whose window has ended. @returns how many */
export async function purgeAttempts(tx: Transaction, now: number, limit: number): Promise<number> {
  const { key, endsAt } = attempts
  const expired = tx
    .select({ key })
    .from(attempts)
    .where(lt(endsAt, new Date(now)))
    .orderBy(endsAt)
    .limit(limit)
  return (await tx.delete(attempts).where(inArray(key, expired)).returning({ key })).length
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url')
