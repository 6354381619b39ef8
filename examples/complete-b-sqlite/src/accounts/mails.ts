import type { Config } from '../config.ts'
import type { OutgoingMail } from '../mail/outbox.ts'
import type { User } from '../users/users.ts'

/** The mails that contain a token. The flows build all others. */

const minutes = (seconds: number): string => String(Math.max(1, Math.floor(seconds / 60)))

export const verificationMail = (user: User, code: string, { mail }: Config): OutgoingMail => ({
  to: user.email,
  subject: 'Your verification code',
  template: 'verification',
  variables: { username: user.username, code, expiration_minutes: minutes(mail.verificationSeconds) },
})

export const resetMail = (user: User, code: string, { mail }: Config): OutgoingMail => ({
  to: user.email,
  subject: 'Your password reset code',
  template: 'password_reset',
  variables: { username: user.username, code, expiration_minutes: minutes(mail.resetSeconds) },
})
