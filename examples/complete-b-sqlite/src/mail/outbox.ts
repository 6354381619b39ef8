import { randomUUID } from 'node:crypto'
import { inArray, lt } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'
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
      hasNews = true
    },
    takeNews() {
      const had = hasNews
      hasNews = false
      return had
    },
  }
}

/** Deletes at most `limit` mails that are older than a week. @returns how many */
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
