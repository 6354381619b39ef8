import { desc, isNull } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { outbox, type QueuedEmail } from '../../src/db/schema/outbox.ts'
import { queuedVariables } from '../../src/email/outbox.ts'
import { type EmailBody, loadEmailTemplates } from '../../src/email/templates.ts'
import { brandVariables } from '../../src/settings/theme.ts'
import { type EmailedToken, emailedToken } from './emailed-token.ts'

/** An email in the outbox of a service without a mail server. */
export interface KeptEmail extends EmailBody, Partial<EmailedToken> {
  id: number
  to: string
  template: string
  createdAt: Date
}

/**
 * The newest 100 emails, newest first. Reads the templates on every call, so that edits show up without a restart. Leaves
 * out an email that delivery could not send either, because the secret or the template has changed.
 */
export async function keptEmails({ ctx }: Pick<FastifyInstance, 'ctx'>): Promise<KeptEmail[]> {
  const { config, db, keys } = ctx
  const templates = await loadEmailTemplates(brandVariables(config))

  function open(email: QueuedEmail): KeptEmail[] {
    const { id, recipient, subject, template, createdAt } = email
    try {
      const variables = queuedVariables(email, keys.outbox)
      const body = templates.render(template, variables)
      return [{ id, to: recipient, template, createdAt, ...body, subject, ...emailedToken(variables) }]
    } catch {
      return []
    }
  }

  const emails = await db.read
    .select()
    .from(outbox)
    .where(isNull(outbox.sentAt))
    .orderBy(desc(outbox.id))
    .limit(100)
  return emails.flatMap(open)
}
