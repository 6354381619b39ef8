import { and, eq, gt, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { attempts } from '../db/schema/attempts.ts'
import { type Client, clientOf, networksOf } from './address-limit.ts'
import { attemptKeys, forgetAttempts, requireCounted, takeAttempts } from './attempts.ts'

const kind = 'login'
const successKind = 'successful login'
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A password that someone sends. */
export interface Guess {
  /** The username or email as typed, or the username of a logged-in user. */
  name: string
  password: string
  client: Client
  /** The client has a session of the user. */
  isLoggedIn?: boolean
}

/**
 * Limits failed logins by name. Counted in the database, so the limit is shared by all processes and survives a restart.
 * One client has a few guesses a minute: by client, so that an attacker cannot lock the user out with wrong passwords.
 * All clients together have a hundred or so a day, because an attacker may have thousands of addresses. Beyond it,
 * clients that have logged in to the account are still served, and all others share one guess a minute.
 *
 * Counts a guess as failed before the password is verified, so concurrent guesses cannot exceed a limit.
 * @param account the canonical name. By user, a 429 for an email after failures by a username would reveal that both belong
 * to one account
 * @param userId the user of that name, if there is one
 * @returns the keys of its counts, for `uncountAttempts`. Earlier failures still count
 * @throws ApiError too_many_requests, even for the right password: an attacker must not learn that it is right
 */
export function countFailure(
  { config, db, now }: Context,
  { client: { address }, isLoggedIn }: Pick<Guess, 'client' | 'isLoggedIn'>,
  account: string,
  userId: number | undefined,
): Promise<string[]> {
  const { loginFailures, loginFailuresPerAccount } = config.rateLimits
  return db.transaction(
    async (tx) => {
      const [all, ...clients] = await takeAttempts(
        tx,
        [
          { kind, account, client: 'all', max: loginFailuresPerAccount, windowMs: dayMs },
          ...networksOf(address).map(({ network: client, times }) => {
            return { kind, account, client, max: loginFailures * times, windowMs: minuteMs }
          }),
        ],
        now(),
      )
      for (const each of clients) requireCounted(each, kind)
      const keys = clients.map(({ key }) => key)
      if (all && all.refusedFor === undefined) return [...keys, all.key]
      if (isLoggedIn || (await isFamiliar(tx, userId, address, now()))) return keys
      const ofStrangers = { kind, account, client: 'strangers', max: 1, windowMs: minuteMs }
      const strangers = await takeAttempts(tx, [ofStrangers], now())
      for (const each of strangers) requireCounted(each, kind)
      return [...keys, ...strangers.map(({ key }) => key)]
    },
    { durable: false },
  )
}

/**
 * Limits successful logins by user and client: each leaves rows that stay for weeks, so an attacker who knows one password
 * could fill the disk. By client, because otherwise they could also lock the user out.
 * @throws ApiError too_many_requests
 */
export async function countSuccess(ctx: Context, tx: Transaction, userId: number, address: string) {
  const { enabled, logins } = ctx.config.rateLimits
  if (!enabled) return
  const account = String(userId)
  const successes = networksOf(address).map(({ network: client, times }) => {
    return { kind: successKind, account, client, max: logins * times, windowMs: hourMs }
  })
  for (const each of await takeAttempts(tx, successes, ctx.now())) requireCounted(each, successKind)
}

/** Resets the counts of a user's logins, for every client: the failed ones by canonical name, and the successful ones. */
export async function forgetLogins(tx: Transaction, userId: number, names: string[]): Promise<void> {
  await forgetAttempts(tx, kind, names)
  await forgetAttempts(tx, successKind, [String(userId)])
}

/** How long a client stays familiar after its last login to an account. */
const familiarMs = 30 * 24 * 60 * 60_000

const familiarKind = 'familiar client'

/** A client is remembered as a hash, beside the attempts. */
const keysOf = (userId: number | undefined, address: string) =>
  attemptKeys(familiarKind, String(userId), clientOf(address))

/** Whether this client has logged in to the account in the last 30 days. Without a user, the same query. */
export async function isFamiliar(
  tx: Transaction,
  userId: number | undefined,
  address: string,
  now: number,
): Promise<boolean> {
  const { key } = keysOf(userId, address)
  const isRemembered = and(eq(attempts.key, key), gt(attempts.endsAt, new Date(now)))
  return (await tx.$count(attempts, isRemembered)) > 0
}

/** Remembers a client that has proved to know the password. @returns whether it was not familiar */
export async function rememberClient(
  tx: Transaction,
  userId: number,
  address: string,
  now: number,
): Promise<boolean> {
  const endsAt = new Date(now + familiarMs)
  const wasFamiliar = gt(attempts.endsAt, new Date(now))
  const [client] = await tx
    .insert(attempts)
    .values({ ...keysOf(userId, address), count: 1, endsAt })
    .onConflictDoUpdate({
      target: attempts.key,
      set: { count: sql`CASE WHEN ${wasFamiliar} THEN 2 ELSE 1 END`, endsAt },
    })
    .returning({ count: attempts.count })
  return client?.count === 1
}

/** After a new password, every client is a stranger: who had stolen the old one may have logged in with it. */
export const forgetClients = (tx: Transaction, userId: number): Promise<void> =>
  forgetAttempts(tx, familiarKind, [String(userId)])
