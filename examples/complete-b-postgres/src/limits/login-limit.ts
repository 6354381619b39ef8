import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { networksOf } from './address-limit.ts'
import {
  type AttemptLimit,
  createUserLimit,
  forgetAttempts,
  takeAttempt,
  uncountAttempt,
} from './attempts.ts'
import type { GiveBack } from './counts.ts'
import { isFamiliar } from './familiar-clients.ts'

const kind = 'login'
const successKind = 'successful login'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

export interface LoginAttempt {
  /**
   * The canonical name that was typed. By user, a 429 for an email after failures by a username would reveal that both
   * belong to one account.
   */
  account: string
  /** The user of that name, if there is one. */
  userId: number | undefined
  /** IP address of the client. */
  address: string
  /** The client has a session of the user. */
  isLoggedIn?: boolean | undefined
}

/**
 * Limits failed logins by name. Counted in the database, so the limit is shared by all processes and survives a restart.
 * One client has a few guesses a minute: by client, so that an attacker cannot lock the user out with wrong passwords.
 * All clients together have a hundred or so a day, because an attacker may have thousands of addresses. Beyond it,
 * clients that have logged in to the account are still served, and all others share one guess a minute.
 */
export function createLoginLimit(db: Database, now: () => number, limits: Config['rateLimits']) {
  const byClient: AttemptLimit = { kind, max: limits.loginFailures, windowMs: minuteMs }
  const byAccount: AttemptLimit = { kind, max: limits.loginFailuresPerAccount, windowMs: dayMs }
  const ofStrangers: AttemptLimit = { kind, max: 1, windowMs: minuteMs }

  return {
    /**
     * Counts an attempt as failed before the password is verified, so concurrent guesses cannot exceed a limit.
     * @returns a function that uncounts it. Earlier failures still count
     * @throws ApiError too_many_requests, even for the right password: an attacker must not learn that it is right
     */
    async take({ account, userId, address, isLoggedIn }: LoginAttempt): Promise<GiveBack> {
      const keys: string[] = []

      /** @returns whether the limit allows the attempt */
      async function count(tx: Transaction, limit: AttemptLimit, client: string, mayRefuse = true) {
        const { key, refusedFor } = await takeAttempt(tx, limit, { account, client }, now())
        if (refusedFor === undefined) keys.push(key)
        // Rolls back, so that a refused attempt does not count anywhere.
        else if (mayRefuse)
          throw new ApiError('too_many_requests', { retryAfter: refusedFor, log: { limit: kind } })
        return refusedFor === undefined
      }

      await db.transaction(
        async (tx) => {
          keys.length = 0
          // Sent in this order, which is the order of the locks: see below.
          const allowed = await Promise.all([
            ...networksOf(address).map(({ network, times }) =>
              count(tx, { ...byClient, max: byClient.max * times }, network),
            ),
            count(tx, byAccount, 'all', false),
          ])
          if (allowed.at(-1)) return
          if (isLoggedIn || (await isFamiliar(tx, userId, address, now()))) return
          await count(tx, ofStrangers, 'strangers')
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
 * Limits successful logins by user and client: each leaves rows that stay for weeks, so an attacker who knows one password
 * could fill the disk. By client, because otherwise they could also lock the user out.
 * @returns a function that counts a login and throws ApiError too_many_requests beyond the limit
 */
export function createSuccessLimit(app: Parameters<typeof createUserLimit>[0]) {
  const count = createUserLimit(app, successKind, app.config.rateLimits.logins)
  return (userId: number, address: string) => count(userId, networksOf(address))
}

/** Resets the counts of a user's logins, for every client: the failed ones by canonical name, and the successful ones. */
export async function forgetLogins(tx: Transaction, userId: number, names: string[]): Promise<void> {
  await forgetAttempts(tx, kind, names)
  await forgetAttempts(tx, successKind, [String(userId)])
}
