import { desc, isNull } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { outbox, type QueuedMail } from '../db/schema/outbox.ts'
import { type MailedToken, mailedToken } from './mailed-token.ts'
import type { QueuedVariables } from './queued-variables.ts'
import type { MailBody, MailTemplates } from './templates.ts'

/** A mail in the outbox of a service without a mail server. */
export interface KeptMail extends MailBody, Partial<MailedToken> {
  id: number
  to: string
  template: string
  createdAt: Date
}

export interface KeptMails {
  /** Returns the newest 100 mails, newest first. */
  list(): Promise<KeptMail[]>
}

/** @param loadTemplates reads the templates again, so that edits show up without a restart */
export function createKeptMails(
  db: Database,
  queuedVariables: QueuedVariables,
  loadTemplates: () => Promise<MailTemplates>,
): KeptMails {
  /** Empty if the mail cannot be read because the secret or the template has changed. */
  function open(mail: QueuedMail, templates: MailTemplates): KeptMail[] {
    const { id, recipient, subject, template, createdAt } = mail
    try {
      const variables = queuedVariables(mail)
      const body = templates.render(template, variables)
      return [{ id, to: recipient, template, createdAt, ...body, subject, ...mailedToken(variables) }]
    } catch {
      return []
    }
  }

  return {
    async list() {
      const templates = await loadTemplates()
      const mails = await db.read
        .select()
        .from(outbox)
        .where(isNull(outbox.sentAt))
        .orderBy(desc(outbox.id))
        .limit(100)
      return mails.flatMap((mail) => open(mail, templates))
    },
  }
}
