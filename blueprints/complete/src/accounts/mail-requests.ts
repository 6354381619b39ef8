import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { takeAttempt } from './attempts.ts'
import { lockUser, type User, type UserQueries } from './users.ts'

export interface MailRequestDependencies {
  config: Config
  db: Database
  now: () => number
  users: UserQueries
}

export type MailRequests = ReturnType<typeof createMailRequests>

/** Mails that anybody may ask for, to any address. */
export function createMailRequests({ config, db, now, users }: MailRequestDependencies) {
  const { enabled, mailIntervalSeconds, mailPerHour } = config.rateLimits
  const limits = [
    { kind: 'mail interval', max: 1, windowMs: mailIntervalSeconds * 1000 },
    { kind: 'mail hour', max: mailPerHour, windowMs: 60 * 60 * 1000 },
  ].filter(({ windowMs }) => windowMs > 0)

  /** Nobody's mailbox is flooded through us. */
  async function isAllowed(tx: Transaction, email: string): Promise<boolean> {
    if (!enabled) return true
    for (const limit of limits) {
      const { refusedFor } = await takeAttempt(tx, limit, email, '', now())
      if (refusedFor !== undefined) return false
    }
    return true
  }

  /**
   * Counts a request, and queues the mail if the address is an active user's and the limits allow it. It makes no
   * difference to the caller, and hardly one in time, whether there is such a user: the answer tells nobody.
   * @param email normalized
   * @param send queues the mail for the user, whose row is locked
   */
  return async (email: string, send: (tx: Transaction, user: User) => Promise<void>): Promise<void> => {
    const found = await users.findByLogin(email)
    await db.transaction(async (tx) => {
      if (!(await isAllowed(tx, email)) || !found) return
      const user = await lockUser(tx, found.id)
      if (user?.isActive && user.email === email) await send(tx, user)
    })
  }
}
