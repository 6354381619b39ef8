import type { Config } from '../config.ts'
import type { OutgoingMail } from '../mail/outbox.ts'
import type { User } from '../users/users.ts'

/** The mails that contain a token, which `issue` returns. The flows build all others. */

/** Puts the token in the fragment, which browsers do not send: it gets into no server log and no Referer header. */
const link = (config: Config, page: string, token: string): string => {
  const url = new URL(config.server.frontendUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${page}`
  url.hash = `token=${token}`
  return url.href
}

export const verificationMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  subject: 'Confirm your email address',
  template: 'verification_email',
  tokenSeconds: config.mail.verificationSeconds,
  variables: async () => ({
    app_name: config.mail.from.name,
    verification_url: link(config, 'verify-email', await issue()),
  }),
})

export const resetMail = (user: User, issue: () => Promise<string>, config: Config): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  subject: 'Reset your password',
  template: 'reset_password_email',
  tokenSeconds: config.mail.resetSeconds,
  variables: async () => ({ reset_url: link(config, 'reset-password', await issue()) }),
})
