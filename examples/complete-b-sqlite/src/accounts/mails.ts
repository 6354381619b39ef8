import type { Config } from '../config.ts'
import { mailedName } from '../mail/mailed-name.ts'
import type { OutgoingMail } from '../mail/outbox.ts'
import type { User } from '../users/users.ts'

/** The mails that contain a token, which `issue` returns. The flows build all others. */

const minutes = (seconds: number): string => String(Math.max(1, Math.floor(seconds / 60)))

export const verificationMail = (
  user: User,
  issue: () => Promise<string>,
  { mail }: Config,
): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  subject: 'Your verification code',
  template: 'verification',
  tokenSeconds: mail.verificationSeconds,
  variables: async () => ({
    username: mailedName(user),
    code: await issue(),
    expiration_minutes: minutes(mail.verificationSeconds),
  }),
})

export const resetMail = (user: User, issue: () => Promise<string>, { mail }: Config): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  subject: 'Your password reset code',
  template: 'password_reset',
  tokenSeconds: mail.resetSeconds,
  variables: async () => ({
    username: mailedName(user),
    code: await issue(),
    expiration_minutes: minutes(mail.resetSeconds),
  }),
})
