import { randomUUID } from 'node:crypto'
import { and, asc, desc, eq, isNull, lte, notLike, sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { ExpiredRows } from '../db/batches.ts'
import type { Database, Reader, Transaction } from '../db/database.ts'
import { skipLocked } from '../db/queries.ts'
import { outbox, type QueuedMail } from '../db/schema/outbox.ts'
import type { KeyRing } from '../keys.ts'
import type { MailLimit } from './limit.ts'
import { seal } from './seal.ts'
import type { MailTemplates } from './templates.ts'

/** How long mails stay in the outbox, in milliseconds. */
const keepMs = 7 * 24 * 60 * 60 * 1000

export interface OutgoingMail {
  /** Address of the recipient, without a name. */
  to: string
  /** Fixed text: user input must not get into a header. */
  subject: string
  /** Name of the files in emails/, without the extension. */
  template: string
  /** A function is called only if the mail is queued, for example to issue a token. */
  variables: Record<string, string> | (() => Promise<Record<string, string>>)
  /** Lifetime of the token in the mail, in which mails are counted. Default: an hour. */
  tokenSeconds?: number
  /** The recipient, for the log. */
  userId?: number
}

export interface Outbox {
  /**
   * Queues a mail, which is sent if and only if the transaction commits.
   * @returns false if the recipient has had enough mails with this template: nothing is queued
   * @throws Error if the template is missing or needs other variables
   */
  enqueue(tx: Transaction, mail: OutgoingMail): Promise<boolean>
  /** Whether a mail was queued since the last call. */
  queuedSinceLastCall(): boolean
}

interface OutboxDependencies {
  from: Config['mail']['from']
  keys: KeyRing
  limit: MailLimit
  now: () => number
  templates: MailTemplates
}

export function createOutbox({ from, keys, limit, now, templates }: OutboxDependencies): Outbox {
  const domain = from.address.split('@').at(-1)
  let isQueued = false
  return {
    async enqueue(tx, mail) {
      if (!(await limit(tx, mail))) return false
      const { to, subject, template } = mail
      const variables = typeof mail.variables === 'function' ? await mail.variables() : mail.variables
      // An error in the variables fails the request instead of the delivery.
      templates.render(template, variables)
      const createdAt = new Date(now())
      await tx.insert(outbox).values({
        // RFC 5322 section 3.6.4.
        messageId: `<${randomUUID()}@${domain}>`,
        recipient: to,
        subject,
        template,
        sealedVariables: seal(JSON.stringify(variables), keys),
        createdAt,
        nextAttemptAt: createdAt,
      })
      isQueued = true
      return true
    },
    queuedSinceLastCall() {
      const wasQueued = isQueued
      isQueued = false
      return wasQueued
    },
  }
}

/**
 * Claims the next due mail: until the lease ends, no other call claims it. Resets go before verifications, those before
 * all other mails; within each, the mail that has been due longest.
 * @param leaseMs in milliseconds
 * @param exceptDomains whose mails are left to later calls
 */
export async function claimMail(
  db: Database,
  now: () => number,
  leaseMs: number,
  exceptDomains: string[],
): Promise<QueuedMail | undefined> {
  const { id, template, recipient, sentAt, failedAt, nextAttemptAt } = outbox
  const due = (reader: Reader) =>
    reader
      .select({ id })
      .from(outbox)
      .where(
        and(
          isNull(sentAt),
          isNull(failedAt),
          lte(nextAttemptAt, new Date(now())),
          // A domain contains no wildcard: users/names.ts allows only letters, digits, dots and hyphens.
          ...exceptDomains.map((domain) => notLike(recipient, `%@${domain}`)),
        ),
      )
  // Usually no mail is due: avoid starting a transaction.
  if ((await due(db.read).limit(1)).length === 0) return undefined
  return db.transaction(async (tx) => {
    const isReset = sql`${template} LIKE '%reset%'`
    const isVerification = sql`${template} LIKE '%verification%'`
    const [next] = await skipLocked(
      due(tx).orderBy(desc(isReset), desc(isVerification), asc(nextAttemptAt), asc(id)).limit(1),
    )
    if (!next) return undefined
    const [mail] = await tx
      .update(outbox)
      .set({ attempts: sql`${outbox.attempts} + 1`, nextAttemptAt: new Date(now() + leaseMs) })
      .where(eq(id, next.id))
      .returning()
    return mail
  })
}

/** Records the outcome of an attempt, unless its lease has expired and another attempt has started. */
export const recordAttempt = (
  db: Database,
  { id, attempts }: QueuedMail,
  outcome: Partial<QueuedMail>,
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx
      .update(outbox)
      .set(outcome)
      .where(and(eq(outbox.id, id), eq(outbox.attempts, attempts), isNull(outbox.sentAt)))
  })

/** Mails that are older than a week, sent or not. */
export const expiredMails = (now: number): ExpiredRows => ({
  table: outbox,
  key: outbox.id,
  time: outbox.createdAt,
  before: new Date(now - keepMs),
})
