import type { Config } from '../config.ts'
import type { OutgoingMail } from '../mail/outbox.ts'
import { pageLink } from '../mail/page-link.ts'
import { trustedEmail } from '../users/emails.ts'
import type { User } from '../users/users.ts'

/** The mails that contain a token, which `issue` returns. The flows build all others. */

export const verificationMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  template: 'verification_email',
  tokenSeconds: config.mail.verificationSeconds,
  variables: async () => ({ verification_url: pageLink(config, 'verify-email', await issue()) }),
})

export const resetMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: trustedEmail(user),
  userId: user.id,
  template: 'reset_password_email',
  tokenSeconds: config.mail.resetSeconds,
  variables: async () => ({ reset_url: pageLink(config, 'reset-password', await issue()) }),
})

/**
 * The notice of a change, to the last verified address. Counted by the hour like other notices: in a window of 7 days, five
 * changes would silence the notice of the next one.
 * @param user the row before the change
 */
export const emailChangedMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: trustedEmail(user),
  userId: user.id,
  template: 'undo_email_change',
  variables: async () => ({
    username: user.username,
    undo_url: pageLink(config, 'undo-email-change', await issue()),
  }),
})
