import { desc, isNull } from 'drizzle-orm'
import type { KeyRing } from '../accounts/keys.ts'
import type { Database } from '../db/database.ts'
import { outbox, type QueuedMail } from '../db/schema/outbox.ts'
import { type MailedToken, mailedToken } from './mailed-token.ts'
import { unseal } from './seal.ts'
import { loadMailTemplates, type MailBody, type MailTemplates } from './templates.ts'

/** A mail that waits in the outbox because nothing sends it. */
export interface KeptMail extends MailBody, Partial<MailedToken> {
  id: number
  to: string
  subject: string
  template: string
  createdAt: Date
}

export interface KeptMails {
  /** Newest first, the latest hundred. */
  list(): Promise<KeptMail[]>
}

export function createKeptMails(db: Database, keys: KeyRing): KeptMails {
  /** Nothing where the mail cannot be opened any more: the secret, or the template, was changed since. */
  function open(mail: QueuedMail, templates: MailTemplates): KeptMail[] {
    const { id, recipient, subject, template, createdAt, sealedVariables } = mail
    try {
      const variables = JSON.parse(unseal(sealedVariables ?? '', keys))
      const body = templates.render(template, variables)
      return [{ id, to: recipient, subject, template, createdAt, ...body, ...mailedToken(variables) }]
    } catch {
      return []
    }
  }

  return {
    async list() {
      // As the files are now: whoever edits one sees it without starting the service anew.
      const templates = await loadMailTemplates()
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
