import type { Config } from '../config.ts'
import { undoMs } from '../email-tokens/undo-tokens.ts'
import { withoutLinks } from '../mail/mailed-name.ts'
import type { OutgoingMail } from '../mail/outbox.ts'
import { pageLink } from '../mail/page-link.ts'
import { confirmationTemplate } from '../users/pending-email.ts'
import type { User } from '../users/users.ts'

/** The emails that contain a token. The flows build all others. */

const minutes = (seconds: number): string => String(Math.max(1, Math.floor(seconds / 60)))

export const verificationMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  template: 'verification_email',
  tokenSeconds: config.email.verificationSeconds,
  variables: async () => ({ verification_url: pageLink(config, 'verify-email', await issue()) }),
})

export const resetMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  template: 'reset_password_email',
  tokenSeconds: config.email.resetSeconds,
  variables: async () => ({ reset_url: pageLink(config, 'reset-password', await issue()) }),
})

/** To the new address, which may belong to a stranger. */
export const confirmationMail = (
  user: User,
  newEmail: string,
  token: string,
  config: Config,
): OutgoingMail => ({
  to: newEmail,
  userId: user.id,
  template: confirmationTemplate,
  tokenSeconds: config.email.verificationSeconds,
  isRequired: true,
  variables: {
    username: withoutLinks(user.username),
    verification_url: pageLink(config, 'verify-email', token),
    expiration_minutes: minutes(config.email.verificationSeconds),
  },
})

/** To the former address of a user, which they had verified. */
export const undoMail = (user: User, oldEmail: string, token: string, config: Config): OutgoingMail => ({
  to: oldEmail,
  userId: user.id,
  template: 'undo_email_change',
  tokenSeconds: undoMs / 1000,
  variables: { username: user.username, undo_url: pageLink(config, 'undo-email-change', token) },
})

/** To the address that an undo has restored: the password has become unusable. */
export const restoredMail = (user: User, token: string, config: Config): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  template: 'email_restored',
  tokenSeconds: config.email.resetSeconds,
  variables: {
    username: user.username,
    reset_url: pageLink(config, 'reset-password', token),
    expiration_minutes: minutes(config.email.resetSeconds),
  },
})
