import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { EmailTokenKind } from '../email-tokens/store.ts'
import { takeAttempt } from '../limits/attempts.ts'
import { lockUser, type User, type UserQueries } from '../users/users.ts'

interface MailRequestDependencies {
  config: Config
  db: Database
  now: () => number
  users: UserQueries
}

export type MailRequest = ReturnType<typeof createMailRequest>

/** More requests than a window can have. */
const unlimited = 2 ** 31 - 1

/** Handles requests for mails, which anyone can make for any address. */
export function createMailRequest({ config, db, now, users }: MailRequestDependencies) {
  const { enabled, mailIntervalSeconds, mailPerHour } = config.rateLimits
  // Counted even if the limits are off: without this write, the response for an unknown address would be faster.
  const limits = [
    { period: 'interval', max: enabled ? 1 : unlimited, windowMs: mailIntervalSeconds * 1000 },
    { period: 'hour', max: enabled ? mailPerHour : unlimited, windowMs: 60 * 60 * 1000 },
  ].filter(({ windowMs }) => windowMs > 0)

  /**
   * Limits mails per address, so that an attacker cannot flood a mailbox. Each kind has a separate count: requests for
   * verifications must not block a password reset.
   */
  async function isAllowed(tx: Transaction, kind: EmailTokenKind, email: string): Promise<boolean> {
    for (const { period, ...limit } of limits) {
      const perPeriod = { kind: `${kind} mails per ${period}`, ...limit }
      const { refusedFor } = await takeAttempt(tx, perPeriod, { account: email }, now())
      if (refusedFor !== undefined) return false
    }
    return true
  }

  /**
   * Counts a request, and queues the mail if the address belongs to an active user and the limits allow it. Response
   * and response time must not reveal who has an account.
   * @param kind the kind of token in the mail
   * @param email normalized
   * @param queueMail gets the user, whose row is locked
   */
  return async (
    kind: EmailTokenKind,
    email: string,
    queueMail: (tx: Transaction, user: User) => Promise<void>,
  ): Promise<void> => {
    const found = await users.findByLogin(email)
    await db.transaction(async (tx) => {
      if (!(await isAllowed(tx, kind, email)) || !found) return
      const user = await lockUser(tx, found.id)
      if (user?.isActive && user.email === email) await queueMail(tx, user)
    })
  }
}
