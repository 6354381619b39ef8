import { randomUUID } from 'node:crypto'
import type { SQL } from 'drizzle-orm'
import type { ExpiredRows } from '../db/batches.ts'
import type { Transaction } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'
import type { KeyRing } from '../keys.ts'
import { seal } from './seal.ts'
import type { MailTemplates } from './templates.ts'

/** How long mails stay in the outbox, in milliseconds. They are not sent after it. */
export const keepMs = 7 * 24 * 60 * 60 * 1000

/** The values of `priority` in the outbox. */
export const priorities = [0, 1, 2] as const

const priorityOf = (template: string): number =>
  /reset|restored/.test(template) ? 0 : /verification|confirm/.test(template) ? 1 : 2

/**
 * The emails that are the only way back into an account. They are not limited, because a thief could use the limit up with
 * changes of their own, and are tried until their token expires.
 */
export const waysBack = ['undo_email_change', 'email_restored']

/**
 * A time in the given number of milliseconds, by the clock of the database: those of two instances may differ by minutes,
 * and one would send a mail again that the other is still sending.
 */
export type OutboxTime = (ms: number) => Date | SQL

export interface OutgoingMail {
  /** Address of the recipient, without a name. */
  to: string
  /** Name of the file in emails/, without the extension. */
  template: string
  /** A function is called only if the mail is queued, for example to issue a token. */
  variables: Record<string, string> | (() => Promise<Record<string, string>>)
  /**
   * Lifetime of the token in the mail, in which mails are counted. The mail is not sent after it. Default: the mail has
   * no such token, and mails are counted by the hour.
   */
  tokenSeconds?: number
  /** How many mails with this template an address gets in that time. Default: RATE_LIMIT_MAILS. */
  max?: number
  /** Rejects with ApiError too_many_requests if the recipient has had enough of them. Default: resolves to `false`. */
  isRequired?: boolean
  /** The user, for the log, and because their mails are deleted with them. */
  userId?: number
}

/** Counts a mail. Resolves to `false` if the recipient has had enough of them. */
export type MailLimit = (tx: Transaction, mail: OutgoingMail) => Promise<boolean>

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
  from: { address: string }
  keys: KeyRing
  limit: MailLimit
  now: () => number
  templates: MailTemplates
  time: OutboxTime
}

export function createOutbox({ from, keys, limit, now, templates, time }: OutboxDependencies): Outbox {
  const domain = from.address.split('@').at(-1)
  let isQueued = false
  return {
    async enqueue(tx, mail) {
      if (!(await limit(tx, mail))) return false
      const { to, template, tokenSeconds, userId } = mail
      const variables = typeof mail.variables === 'function' ? await mail.variables() : mail.variables
      // An error in the variables fails the request instead of the delivery.
      const { subject } = templates.render(template, variables)
      await tx.insert(outbox).values({
        // RFC 5322 section 3.6.4.
        messageId: `<${randomUUID()}@${domain}>`,
        userId,
        recipient: to,
        domain: to.slice(to.lastIndexOf('@') + 1),
        subject,
        template,
        priority: priorityOf(template),
        sealedVariables: seal(JSON.stringify(variables), keys),
        createdAt: new Date(now()),
        notAfter: tokenSeconds === undefined ? null : new Date(now() + tokenSeconds * 1000),
        nextAttemptAt: time(0),
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

/** Mails that are older than a week, sent or not. */
export const expiredMails = (now: number): ExpiredRows => ({
  table: outbox,
  key: outbox.id,
  time: outbox.createdAt,
  before: new Date(now - keepMs),
})
