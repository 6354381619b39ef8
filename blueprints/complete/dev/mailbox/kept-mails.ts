import { desc, isNull } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { brandVariables } from '../../src/appearance.ts'
import { outbox, type QueuedMail } from '../../src/db/schema/outbox.ts'
import { createQueuedVariables } from '../../src/mail/queued-variables.ts'
import { loadMailTemplates, type MailBody } from '../../src/mail/templates.ts'
import { type MailedToken, mailedToken } from './mailed-token.ts'

/** A mail in the outbox of a service without a mail server. */
export interface KeptMail extends MailBody, Partial<MailedToken> {
  id: number
  to: string
  template: string
  createdAt: Date
}

/**
 * The newest 100 emails, newest first. Reads the templates on every call, so that edits show up without a restart. Leaves
 * out an email that delivery could not send either, because the secret or the template has changed.
 */
export async function keptMails({ config, db }: Pick<FastifyInstance, 'config' | 'db'>): Promise<KeptMail[]> {
  const queuedVariables = createQueuedVariables(config)
  const templates = await loadMailTemplates(brandVariables(config))

  function open(mail: QueuedMail): KeptMail[] {
    const { id, recipient, subject, template, createdAt } = mail
    try {
      const variables = queuedVariables(mail)
      const body = templates.render(template, variables)
      return [{ id, to: recipient, template, createdAt, ...body, subject, ...mailedToken(variables) }]
    } catch {
      return []
    }
  }

  const mails = await db.read
    .select()
    .from(outbox)
    .where(isNull(outbox.sentAt))
    .orderBy(desc(outbox.id))
    .limit(100)
  return mails.flatMap(open)
}
