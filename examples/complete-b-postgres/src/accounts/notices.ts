import type { OutgoingMail } from '../mail/outbox.ts'
import type { User } from './users.ts'

/** Notices of what happened to an account: its owner learns of a theft (ASVS 5.0 section 6.3.7). They hold no secret. */

export const passwordChangedNotice = (user: User): OutgoingMail => ({
  to: user.email,
  subject: 'Your password was changed',
  template: 'password_changed',
  variables: { username: user.username },
})

/** @param user with the address that he had before */
export const emailChangedNotice = (user: User): OutgoingMail => ({
  to: user.email,
  subject: 'Your email address was changed',
  template: 'email_changed',
  variables: { username: user.username },
})
