import { id, index, integer, table, text, timestamp } from '../dialect.ts'

/** Mails to send. Written in the transaction that causes them, sent by jobs/mail-delivery.ts. */
export const outbox = table(
  'outbox',
  {
    id: id(),
    /** The Message-ID header. The same for every attempt, so that mail servers can detect duplicates. */
    messageId: text('message_id').notNull().unique(),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    /** Name of the files in emails/, without the extension. */
    template: text('template').notNull(),
    /** The variables of the template, encrypted because they contain tokens. Null once the mail is sent. */
    sealedVariables: text('sealed_variables'),
    createdAt: timestamp('created_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** Time of the next attempt. During an attempt: the end of the lease, after which another worker may retry. */
    nextAttemptAt: timestamp('next_attempt_at').notNull(),
    sentAt: timestamp('sent_at'),
    /** When delivery was given up. */
    failedAt: timestamp('failed_at'),
  },
  (mail) => [
    index('outbox_due').on(mail.sentAt, mail.failedAt, mail.nextAttemptAt),
    index('outbox_created_at').on(mail.createdAt),
  ],
)

export type QueuedMail = typeof outbox.$inferSelect
