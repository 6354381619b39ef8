import { desc, eq } from 'drizzle-orm'
import type { Reader } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { outbox } from '../db/schema/outbox.ts'
import { exportTokens } from './export-tokens.ts'

/** Maximum number of rows of each table. A user who logs in all day must not get a response that fills the memory. */
const maxRows = 1_000

/** All that is stored about a user outside their row, newest first, for the response. No hashes, and no text of a mail. */
export async function exportTables(db: Reader, userId: number) {
  const tokens = await exportTokens(db, userId, maxRows)
  const { email, expiresAt } = emailChanges
  const changes = await db
    .select({ email, expiresAt })
    .from(emailChanges)
    .where(eq(emailChanges.userId, userId))
    .orderBy(desc(expiresAt))
    .limit(maxRows)
  const { recipient, subject, template, createdAt, sentAt, failedAt } = outbox
  const mails = await db
    .select({ recipient, subject, template, createdAt, sentAt, failedAt })
    .from(outbox)
    .where(eq(outbox.userId, userId))
    .orderBy(desc(createdAt))
    .limit(maxRows)
  return {
    ...tokens,
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
}
