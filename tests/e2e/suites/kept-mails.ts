import { setTimeout as delay } from 'node:timers/promises'
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

/** Waits for a mail with a token: the service handles requests for mails once a second. */
export async function keptMail(service: Client, kind: MailKind, to: string): Promise<KeptMail> {
  for (;;) {
    const mails = await keptMails(service)
    const mail = mails.find((each) => each.to === to && each.template.includes(kind))
    if (mail) return mail
    await delay(50)
  }
}
