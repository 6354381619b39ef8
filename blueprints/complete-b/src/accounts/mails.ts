import type { Config } from '../config.ts'
import { mailedName } from '../mail/mailed-name.ts'
import type { OutgoingMail } from '../mail/outbox.ts'
import { pageLink } from '../mail/page-link.ts'
import { trustedEmail } from '../users/emails.ts'
import type { User } from '../users/users.ts'

/** The mails that contain a token, which `issue` returns. The flows build all others. */

const minutes = (seconds: number): string => String(Math.max(1, Math.floor(seconds / 60)))

export const verificationMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  template: 'verification',
  tokenSeconds: config.mail.verificationSeconds,
  variables: async () => {
    const code = await issue()
    return {
      username: mailedName(user),
      code,
      verification_url: pageLink(config, 'verify-email', code),
      expiration_minutes: minutes(config.mail.verificationSeconds),
    }
  },
})

export const resetMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: trustedEmail(user),
  userId: user.id,
  template: 'password_reset',
  tokenSeconds: config.mail.resetSeconds,
  variables: async () => {
    const code = await issue()
    return {
      username: mailedName(user),
      code,
      reset_url: pageLink(config, 'reset-password', code),
      expiration_minutes: minutes(config.mail.resetSeconds),
    }
  },
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
  variables: async () => {
    const code = await issue()
    return { username: user.username, code, undo_url: pageLink(config, 'undo-email-change', code) }
  },
})
