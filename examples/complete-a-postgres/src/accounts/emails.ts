import type { Config } from '../config.ts'
import { type OutgoingEmail, pageLink, withoutLinks } from '../email/outbox.ts'
import { undoMs } from '../email/undo-tokens.ts'
import { confirmationTemplate } from '../users/emails.ts'
import type { User } from '../users/users.ts'

/** The emails that contain a token. The flows build all others. */

const minutes = (seconds: number): string => String(Math.max(1, Math.floor(seconds / 60)))

export const verificationEmail = (user: User, token: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'verification_email',
  tokenSeconds: config.email.verificationSeconds,
  variables: { verification_url: pageLink(config, 'verify-email', token) },
})

export const resetEmail = (user: User, token: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'reset_password_email',
  tokenSeconds: config.email.resetSeconds,
  variables: { reset_url: pageLink(config, 'reset-password', token) },
})

/** To the new address, which may belong to a stranger. */
export const confirmationEmail = (
  user: User,
  newEmail: string,
  token: string,
  config: Config,
): OutgoingEmail => ({
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

/** To the previous address of a user, which they had verified. */
export const undoEmail = (user: User, oldEmail: string, token: string, config: Config): OutgoingEmail => ({
  to: oldEmail,
  userId: user.id,
  template: 'undo_email_change',
  tokenSeconds: undoMs / 1000,
  variables: { username: user.username, undo_url: pageLink(config, 'undo-email-change', token) },
})

/** To the address that an undo has restored: the password has become unusable. */
export const restoredEmail = (user: User, token: string, config: Config): OutgoingEmail => ({
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
