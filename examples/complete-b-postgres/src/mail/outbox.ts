import { randomUUID } from 'node:crypto'
import { inArray, lt } from 'drizzle-orm'
import type { KeyRing } from '../accounts/keys.ts'
import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'
import { seal } from './seal.ts'
import type { MailTemplates } from './templates.ts'

/** How long a mail is remembered: for the owner's questions. It was sent or given up long before, or nothing sends mails. */
const keepMs = 7 * 24 * 60 * 60 * 1000

export interface OutgoingMail {
  /** Address of the recipient, and nothing else: no name, no list. */
  to: string
  /** Fixed text: what a user wrote never gets into a header. */
  subject: string
  /** Name of the files in emails/, without their ending. */
  template: string
  variables: Record<string, string>
}

export interface Outbox {
  /**
   * Queues a mail. It is sent if and only if the transaction is committed.
   * @throws Error where the template does not fit the variables
   */
  enqueue(tx: Transaction, mail: OutgoingMail): Promise<void>
  /** Whether a mail was queued since this was asked last: a moment to look for mails that are due. */
  takeNews(): boolean
}

export interface OutboxDependencies {
  settings: Config['mail']
  keys: KeyRing
  now: () => number
  templates: MailTemplates
}

export function createOutbox({ settings, keys, now, templates }: OutboxDependencies): Outbox {
  const domain = settings.from.address.split('@').at(-1)
  let hasNews = false
  return {
    async enqueue(tx, { to, subject, template, variables }) {
      // A mistake in a template fails the request that meets it, and not a mail behind its back.
      templates.render(template, variables)
      const createdAt = new Date(now())
      await tx.insert(outbox).values({
        // RFC 5322 section 3.6.4: unique, at a domain of ours.
        messageId: `<${randomUUID()}@${domain}>`,
        recipient: to,
        subject,
        template,
        sealedVariables: seal(JSON.stringify(variables), keys),
        createdAt,
        nextAttemptAt: createdAt,
      })
      hasNews = true
    },
    takeNews() {
      const had = hasNews
      hasNews = false
      return had
    },
  }
}

/** Deletes mails that are a week old, as many as `limit`. @returns how many */
export async function purgeMails(tx: Transaction, now: number, limit: number): Promise<number> {
  const { id, createdAt } = outbox
  const old = tx
    .select({ id })
    .from(outbox)
    .where(lt(createdAt, new Date(now - keepMs)))
    .orderBy(createdAt)
    .limit(limit)
  return (await tx.delete(outbox).where(inArray(id, old)).returning({ id })).length
}
