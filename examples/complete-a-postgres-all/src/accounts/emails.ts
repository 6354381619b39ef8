import type { Config } from '../config.ts'
import { undoMs } from '../email/change-tokens.ts'
import { type OutgoingEmail, pageLink, withoutLinks } from '../email/outbox.ts'
import type { User } from '../users/users.ts'

/** The emails that contain a token. The flows build all others. */

const minutes = (seconds: number): string => String(Math.max(1, Math.floor(seconds / 60)))

export const verificationEmail = (user: User, token: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'verification_email',
  kind: 'verification',
  tokenSeconds: config.email.verificationSeconds,
  variables: { verification_url: pageLink(config, 'verify-email', token) },
})

export const resetEmail = (user: User, token: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'reset_password_email',
  kind: 'reset',
  tokenSeconds: config.email.resetSeconds,
  variables: { reset_url: pageLink(config, 'reset-password', token) },
})

/** To the new address, which may belong to a stranger. */
export function confirmationEmail(user: User, to: string, token: string, config: Config): OutgoingEmail {
  const email = verificationEmail(user, token, config)
  const expiration_minutes = minutes(config.email.verificationSeconds)
  const variables = { ...email.variables, username: withoutLinks(user.username), expiration_minutes }
  return { ...email, to, template: 'confirm_email_change', kind: 'email_change', isRequired: true, variables }
}

/** To the previous address of a user, which they had verified. */
export const undoEmail = (user: User, token: string, config: Config): OutgoingEmail => ({
  to: user.email,
  userId: user.id,
  template: 'undo_email_change',
  kind: 'undo',
  tokenSeconds: undoMs / 1000,
  // The code is for the template of profile B, if a switch comes before the email is sent.
  variables: { username: user.username, code: token, undo_url: pageLink(config, 'undo-email-change', token) },
})

/** To the address that an undo has restored: the password has become unusable. */
export function restoredEmail(user: User, token: string, config: Config): OutgoingEmail {
  const email = resetEmail(user, token, config)
  const expiration_minutes = minutes(config.email.resetSeconds)
  const variables = { ...email.variables, username: user.username, expiration_minutes }
  return { ...email, template: 'email_restored', variables }
}
