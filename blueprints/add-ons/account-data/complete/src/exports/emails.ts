import { desc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { emailChanges } from '../db/schema/email-changes.ts'
import { outbox } from '../db/schema/outbox.ts'
import { exportPart, maxRows } from './types.ts'

const time = z.iso.datetime()

/** The changes of the address that can be undone, and the emails of a user without their text. */
export const emails = exportPart({
  shape: {
    email_changes: z.array(z.object({ email: z.string(), expires_at: time })),
    mails: z.array(
      z.object({
        recipient: z.string(),
        subject: z.string(),
        template: z.string(),
        created_at: time,
        sent_at: time.nullable(),
        failed_at: time.nullable(),
      }),
    ),
  },
  async read({ db, user }) {
    const { email, expiresAt } = emailChanges
    const changes = await db
      .select({ email, expiresAt })
      .from(emailChanges)
      .where(eq(emailChanges.userId, user.id))
      .orderBy(desc(expiresAt))
      .limit(maxRows)
    const { recipient, subject, template, createdAt, sentAt, failedAt } = outbox
    const mails = await db
      .select({ recipient, subject, template, createdAt, sentAt, failedAt })
      .from(outbox)
      .where(eq(outbox.userId, user.id))
      .orderBy(desc(createdAt))
      .limit(maxRows)
    return {
      email_changes: changes.map((change) => ({
        email: change.email,
        expires_at: change.expiresAt.toISOString(),
      })),
      mails: mails.map(({ createdAt, sentAt, failedAt, ...mail }) => ({
        ...mail,
        created_at: createdAt.toISOString(),
        sent_at: sentAt?.toISOString() ?? null,
        failed_at: failedAt?.toISOString() ?? null,
      })),
    }
  },
})
