import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { takeAttempt } from './attempts.ts'
import type { EmailTokenKind } from './email-token-store.ts'
import { lockUser, type User, type UserQueries } from './users.ts'

export interface MailRequestDependencies {
  config: Config
  db: Database
  now: () => number
  users: UserQueries
}

export type MailRequests = ReturnType<typeof createMailRequests>

/** The largest count that an integer column holds. */
const unlimited = 2 ** 31 - 1

/** Mails that anybody may ask for, to any address. */
export function createMailRequests({ config, db, now, users }: MailRequestDependencies) {
  const { enabled, mailIntervalSeconds, mailPerHour } = config.rateLimits
  // Switched off, they count all the same: without this write an answer for nobody would be the faster one.
  const limits = [
    { period: 'interval', max: enabled ? 1 : unlimited, windowMs: mailIntervalSeconds * 1000 },
    { period: 'hour', max: enabled ? mailPerHour : unlimited, windowMs: 60 * 60 * 1000 },
  ].filter(({ windowMs }) => windowMs > 0)

  /**
   * Nobody's mailbox is flooded through us. Each kind counts for itself: a stranger who asks for verifications, which a
   * verified user is never sent, must not keep the password reset from him.
   */
  async function isAllowed(tx: Transaction, kind: EmailTokenKind, email: string): Promise<boolean> {
    for (const { period, ...limit } of limits) {
      const perPeriod = { kind: `${kind} mails per ${period}`, ...limit }
      const { refusedFor } = await takeAttempt(tx, perPeriod, email, '', now())
      if (refusedFor !== undefined) return false
    }
    return true
  }

  /**
   * Counts a request, and queues the mail if the address is an active user's and the limits allow it. It makes no
   * difference to the caller, and hardly one in time, whether there is such a user: the answer tells nobody.
   * @param kind of the token in the mail
   * @param email normalized
   * @param send queues the mail for the user, whose row is locked
   */
  return async (
    kind: EmailTokenKind,
    email: string,
    send: (tx: Transaction, user: User) => Promise<void>,
  ): Promise<void> => {
    const found = await users.findByLogin(email)
    await db.transaction(async (tx) => {
      if (!(await isAllowed(tx, kind, email)) || !found) return
      const user = await lockUser(tx, found.id)
      if (user?.isActive && user.email === email) await send(tx, user)
    })
  }
}
