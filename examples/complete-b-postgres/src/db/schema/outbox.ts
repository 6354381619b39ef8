import { sql } from 'drizzle-orm'
import { id, index, integer, keyText, table, text, timestamp, unique } from '../dialect.ts'
import { users } from './users.ts'

/** Emails to send. Written in the transaction that causes them, sent by email/workers.ts. */
export const outbox = table(
  'outbox',
  {
    id: id(),
    /** The Message-ID header. The same for every attempt, so that mail servers can detect duplicates. */
    messageId: keyText('message_id').notNull(),
    /** The user whose email it is. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    recipient: text('recipient').notNull(),
    /** The part of `recipient` after the @. */
    domain: keyText('domain').notNull().default(''),
    subject: text('subject').notNull(),
    /** Name of the files in emails/, without the extension. */
    template: text('template').notNull(),
    /** The kind of token in the email, which is given up as soon as that token is revoked. Null: it has none, and is sent. */
    kind: text('kind'),
    /** 0: resets, 1: others for which users wait, 2: all other emails. Lower ones are sent first. */
    priority: integer('priority').notNull().default(2),
    /** The variables of the template, encrypted because they contain tokens. Null once the email is sent. */
    sealedVariables: text('sealed_variables'),
    createdAt: timestamp('created_at').notNull(),
    /** When the token in the email expires. The email is not sent after that. Null if it contains no token. */
    notAfter: timestamp('not_after'),
    attempts: integer('attempts').notNull().default(0),
    /** Time of the next attempt. During an attempt: the end of the lease, after which another worker may retry. */
    nextAttemptAt: timestamp('next_attempt_at').notNull(),
    sentAt: timestamp('sent_at'),
    /** When delivery was given up. */
    failedAt: timestamp('failed_at'),
  },
  (email) => {
    const isWaiting = sql`${email.sentAt} is null and ${email.failedAt} is null`
    return [
      unique('outbox_message_id_unique').on(email.messageId),
      // Both give the order of a claim, so that it reads a few rows, however many emails are due.
      index('outbox_order').on(email.priority, email.nextAttemptAt, email.id).where(isWaiting),
      index('outbox_domain').on(email.priority, email.domain, email.nextAttemptAt, email.id).where(isWaiting),
      index('outbox_created_at').on(email.createdAt),
      index('outbox_user').on(email.userId),
    ]
  },
)

export type QueuedEmail = typeof outbox.$inferSelect
