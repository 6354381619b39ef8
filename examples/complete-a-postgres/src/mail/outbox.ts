import { randomUUID } from 'node:crypto'
import { and, asc, eq, inArray, isNull, lt, lte, sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database, Reader, Transaction } from '../db/database.ts'
import { skipLocked } from '../db/queries.ts'
import { outbox, type QueuedMail } from '../db/schema/outbox.ts'
import type { KeyRing } from '../keys.ts'
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
  variables: Record<string, string>
}

export interface Outbox {
  /**
   * Queues a mail. It is sent if and only if the transaction commits.
   * @throws Error if the template is missing or needs other variables
   */
  enqueue(tx: Transaction, mail: OutgoingMail): Promise<void>
  /** Whether a mail was queued since the last call. */
  queuedSinceLastCall(): boolean
}

interface OutboxDependencies {
  from: Config['mail']['from']
  keys: KeyRing
  now: () => number
  templates: MailTemplates
}

export function createOutbox({ from, keys, now, templates }: OutboxDependencies): Outbox {
  const domain = from.address.split('@').at(-1)
  let isQueued = false
  return {
    async enqueue(tx, { to, subject, template, variables }) {
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
    },
    queuedSinceLastCall() {
      const wasQueued = isQueued
      isQueued = false
      return wasQueued
    },
  }
}

/**
 * Claims the mail that has been due longest: until the lease ends, no other call claims it.
 * @param leaseMs in milliseconds
 */
export async function claimMail(
  db: Database,
  now: () => number,
  leaseMs: number,
): Promise<QueuedMail | undefined> {
  const nextDue = (reader: Reader) =>
    reader
      .select({ id: outbox.id })
      .from(outbox)
      .where(and(isNull(outbox.sentAt), isNull(outbox.failedAt), lte(outbox.nextAttemptAt, new Date(now()))))
      .orderBy(asc(outbox.nextAttemptAt), asc(outbox.id))
      .limit(1)
  // Usually no mail is due: avoid starting a transaction.
  if ((await nextDue(db.read)).length === 0) return undefined
  return db.transaction(async (tx) => {
    const [next] = await skipLocked(nextDue(tx))
    if (!next) return undefined
    const [mail] = await tx
      .update(outbox)
      .set({ attempts: sql`${outbox.attempts} + 1`, nextAttemptAt: new Date(now() + leaseMs) })
      .where(eq(outbox.id, next.id))
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

/** Deletes at most `limit` mails that are older than a week. @returns how many */
export async function purgeMails(tx: Transaction, now: number, limit: number): Promise<number> {
  const { id, createdAt } = outbox
  const expired = tx
    .select({ id })
    .from(outbox)
    .where(lt(createdAt, new Date(now - keepMs)))
    .orderBy(createdAt)
    .limit(limit)
  return (await tx.delete(outbox).where(inArray(id, expired)).returning({ id })).length
}
