import { id, index, integer, table, text, timestamp } from '../dialect.ts'

/** Mails to send: written in the transaction that causes them, delivered by jobs/mail-delivery.ts. */
export const outbox = table(
  'outbox',
  {
    id: id(),
    /** The Message-ID header, the same at every attempt: a mail server may recognise a mail that it has already. */
    messageId: text('message_id').notNull().unique(),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    /** Name of the files in emails/, without their ending. */
    template: text('template').notNull(),
    /** The template's variables, encrypted: they hold tokens and codes. Null as soon as the mail is sent. */
    sealedVariables: text('sealed_variables'),
    createdAt: timestamp('created_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** No attempt before this moment. While a worker is at it: when another one may take it for dead. */
    nextAttemptAt: timestamp('next_attempt_at').notNull(),
    sentAt: timestamp('sent_at'),
    /** When it was given up. */
    failedAt: timestamp('failed_at'),
  },
  (mail) => [
    index('outbox_due').on(mail.sentAt, mail.failedAt, mail.nextAttemptAt),
    index('outbox_created_at').on(mail.createdAt),
  ],
)

export type QueuedMail = typeof outbox.$inferSelect
