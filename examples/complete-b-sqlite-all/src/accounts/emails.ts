import type { Config } from '../config.ts'
import { undoMs } from '../email/change-tokens.ts'
import { type OutgoingEmail, pageLink, shownName, withoutLinks } from '../email/outbox.ts'
import type { User } from '../users/users.ts'

/** The emails that contain a token. The flows build all others. */

const minutes = (seconds: number): string => String(Math.max(1, Math.floor(seconds / 60)))

export const verificationEmail = (user: User, code: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'verification',
  kind: 'verification',
  tokenSeconds: config.email.verificationSeconds,
  variables: {
    username: shownName(user),
    code,
    verification_url: pageLink(config, 'verify-email', code),
    expiration_minutes: minutes(config.email.verificationSeconds),
  },
})

export const resetEmail = (user: User, code: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'password_reset',
  kind: 'reset',
  tokenSeconds: config.email.resetSeconds,
  variables: {
    username: shownName(user),
    code,
    reset_url: pageLink(config, 'reset-password', code),
    expiration_minutes: minutes(config.email.resetSeconds),
  },
})

/** To the new address, which may belong to a stranger. */
export function confirmationEmail(user: User, to: string, code: string, config: Config): OutgoingEmail {
  const email = verificationEmail(user, code, config)
  const variables = { ...email.variables, username: withoutLinks(user.username) }
  return { ...email, to, template: 'confirm_email_change', kind: 'email_change', isRequired: true, variables }
}

/** To the previous address of a user, which they had verified. */
export const undoEmail = (user: User, code: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'undo_email_change',
  kind: 'undo',
  tokenSeconds: undoMs / 1000,
  variables: { username: user.username, code, undo_url: pageLink(config, 'undo-email-change', code) },
})

/** To the address that an undo has restored: the password has become unusable. */
export const restoredEmail = (user: User, code: string, config: Config): OutgoingEmail => ({
  ...resetEmail(user, code, config),
  template: 'email_restored',
})
