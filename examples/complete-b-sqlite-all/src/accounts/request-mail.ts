import { asc, eq } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { isUnavailable } from '../db/dialect.ts'
import { skipLocked } from '../db/queries.ts'
import { mailRequests } from '../db/schema/mail-requests.ts'
import type { EmailTokenKind } from '../email-tokens/store.ts'
import { takeAttempt, uncountAttempt } from '../limits/attempts.ts'
import { lockUserByEmail } from '../users/emails.ts'
import { pendingEmail } from '../users/pending-email.ts'
import type { User } from '../users/users.ts'
import type { PasswordReset } from './reset-password.ts'
import type { EmailVerification } from './verify-email.ts'

/** A request that has waited longer, in milliseconds, is dropped: the client no longer expects the mail. */
const keepMs = 60 * 60_000

/** How many requests one call handles. The others wait for the next one. */
const batchSize = 1_000

interface MailRequestDependencies {
  config: Config
  db: Database
  emailVerification: EmailVerification
  log: Record<'info', (entry: object, message: string) => void>
  now: () => number
  passwordReset: PasswordReset
}

export type MailRequests = ReturnType<typeof createMailRequests>

/**
 * Requests for mails, which anyone can make for any address. The work for a known address takes longer, and two requests
 * sent at once would reveal which address has an account. So a request only writes a row, and the rest happens later.
 */
export function createMailRequests(dependencies: MailRequestDependencies) {
  const { config, db, emailVerification, log, now, passwordReset } = dependencies
  const { enabled, mailIntervalSeconds } = config.rateLimits

  /** Queue a mail for a user whose row is locked. Resolve to `false` if the limit of mails is reached. */
  const queueMail: Record<EmailTokenKind, (tx: Transaction, user: User) => Promise<boolean>> = {
    reset: passwordReset.queueMail,
    // While a change waits, the registered address may be a typing mistake, whose owner must not verify it.
    verification: async (tx, user) =>
      user.isVerified || pendingEmail(user, now()) !== undefined || emailVerification.queueMail(tx, user),
  }

  async function answer(tx: Transaction, kind: EmailTokenKind, email: string): Promise<void> {
    // Each kind has a separate count: requests for verifications must not block a password reset.
    const limit = { kind: `${kind} request`, max: 1, windowMs: mailIntervalSeconds * 1000 }
    const isLimited = enabled && mailIntervalSeconds > 0
    const taken = isLimited ? await takeAttempt(tx, limit, { account: email }, now()) : undefined
    if (taken?.refusedFor !== undefined) {
      const limited = { limit: 'RATE_LIMIT_MAIL_INTERVAL_SECONDS', template: kind }
      log.info({ event: 'mail.limited', ...limited }, 'mail limited')
      return
    }
    const user = await lockUserByEmail(tx, email)
    const isRefused = user?.isActive && !(await queueMail[kind](tx, user))
    // Otherwise a stranger's requests beyond the limit of mails would delay the owner's first request after it.
    if (isRefused && taken) await uncountAttempt(tx, taken.key)
  }

  /** Handles a request in one transaction: after a crash it still waits, and no other instance handles it too. */
  const handle = (id: number): Promise<void> =>
    db.transaction(async (tx) => {
      const [request] = await skipLocked(tx.select().from(mailRequests).where(eq(mailRequests.id, id)))
      if (!request) return
      const { kind, email, createdAt } = request
      if (now() - createdAt.getTime() <= keepMs) await answer(tx, kind, email)
      // Last: in PostgreSQL, a new request for the same address waits for a deleted row, and could measure the work above.
      await tx.delete(mailRequests).where(eq(mailRequests.id, id))
    })

  return {
    /** @param email normalized */
    async add(kind: EmailTokenKind, email: string): Promise<void> {
      const createdAt = new Date(now())
      await db.transaction(async (tx) => {
        await tx.insert(mailRequests).values({ kind, email, createdAt }).onConflictDoNothing()
      })
    },

    /**
     * Handles the requests that wait now, and none that arrives meanwhile.
     * @param stop ends it after the current request
     */
    async handleWaiting(stop?: AbortSignal): Promise<void> {
      const waiting = await db.read
        .select({ id: mailRequests.id })
        .from(mailRequests)
        .orderBy(asc(mailRequests.id))
        .limit(batchSize)
      let failure: { error: unknown } | undefined
      for (const { id } of waiting) {
        if (stop?.aborted) break
        await handle(id).catch((error: unknown) => {
          // A request that always fails, such as by a broken template, must not stop those after it.
          if (isUnavailable(error)) throw error
          failure = { error }
        })
      }
      if (failure) throw failure.error
    },
  }
}
