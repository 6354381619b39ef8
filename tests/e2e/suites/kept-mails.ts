import { vi } from 'vitest'
import type { Client } from '../harness/client.ts'

/** A mail from /dev/mailbox/messages. */
export interface KeptMail {
  to: string
  subject: string
  template: string
  /** The token or code. */
  token: string
  /** The link, in profile A. */
  url?: string
}

/** The mails in the development mailbox, newest first. */
export async function keptMails(service: Client): Promise<KeptMail[]> {
  return (await service.get('/dev/mailbox/messages')).body.messages
}

/** What the token in a mail is for. */
export type MailKind =
  | 'verification'
  | 'confirm'
  | 'reset'
  | 'restored'
  | 'undo'
  | 'emailed_token'
  | 'email_login'

/**
 * Waits until the newest mail of a kind has a token that is not used: the service handles requests for mails once a second.
 * @param used tokens
 */
export function keptMail(
  service: Client,
  kind: MailKind,
  to: string,
  used: ReadonlySet<string> = new Set(),
): Promise<KeptMail> {
  const newest = async () => {
    const mails = await keptMails(service)
    const mail = mails.find((each) => each.to === to && each.template.includes(kind))
    return mail && !used.has(mail.token) && mail
  }
  return vi.waitUntil(newest, { timeout: 500_000 })
}
