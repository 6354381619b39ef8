import { createHash } from 'node:crypto'
import { eq, lt, lte, or, sql } from 'drizzle-orm'
import { clientOf } from '../address-limit.ts'
import type { Database } from '../db/database.ts'
import { loginFailures } from '../db/schema/login-failures.ts'
import { ApiError } from '../errors.ts'

export type LoginFailures = ReturnType<typeof createLoginFailures>

const windowMs = 60_000

/**
 * Counts failed logins by account and address, in the database: one limit for all processes, and it survives a restart.
 * By address too, so that an attacker who fails on purpose locks out nobody but himself.
 */
export function createLoginFailures(db: Database, now: () => number, max: number) {
  return {
    /**
     * Counts an attempt as failed, before the password is looked at: of many guesses sent at once no more than `max`
     * get through. Give it back if it succeeds.
     * @param account id of the user, or the name where there is none: known and unknown count alike.
     * @returns what `giveBack` takes
     * @throws ApiError too_many_requests, also for the right password: it would tell a guesser that he has it
     */
    async take(account: number | string, address: string): Promise<string> {
      const key = createHash('sha256')
        .update(JSON.stringify([account, clientOf(address)]))
        .digest('base64url')
      const at = new Date(now())
      const endsAt = new Date(now() + windowMs)
      const retryAfter = await db.transaction(async (tx) => {
        const isOver = lte(loginFailures.endsAt, at)
        const counted = await tx
          .insert(loginFailures)
          .values({ key, count: 1, endsAt })
          .onConflictDoUpdate({
            target: loginFailures.key,
            set: {
              count: sql`CASE WHEN ${isOver} THEN 1 ELSE ${loginFailures.count} + 1 END`,
              endsAt: sql`CASE WHEN ${isOver} THEN excluded.ends_at ELSE ${loginFailures.endsAt} END`,
            },
            setWhere: or(isOver, lt(loginFailures.count, max)),
          })
          .returning({ key: loginFailures.key })
        if (counted.length > 0) return undefined
        const [refused] = await tx.select().from(loginFailures).where(eq(loginFailures.key, key))
        return refused ? Math.max(1, Math.ceil((refused.endsAt.getTime() - now()) / 1000)) : 1
      })
      if (retryAfter !== undefined) throw new ApiError('too_many_requests', { retryAfter })
      return key
    },

    /** Takes one attempt back, and no more: failures before it still count. */
    async giveBack(key: string): Promise<void> {
      await db.transaction(async (tx) => {
        await tx
          .update(loginFailures)
          .set({ count: sql`${loginFailures.count} - 1` })
          .where(eq(loginFailures.key, key))
      })
    },

    /** Deletes the counts whose window is over. */
    async purge(): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.delete(loginFailures).where(lt(loginFailures.endsAt, new Date(now())))
      })
    },
  }
}
