import { z } from 'zod'
import { flag, wholeNumber } from './types.ts'

/** How mails are sent. Without a host they are kept in the outbox. */
export const email = z
  .object({
    SMTP_HOST: z.string().optional().describe('Mail server; empty: mails are kept, not sent'),
    SMTP_PORT: wholeNumber({ min: 1, max: 65_535 })
      .default(587)
      .describe('Port of the mail server; 465 uses TLS from the start'),
    SMTP_USER: z.string().optional().describe('User name at the mail server; empty: none'),
    SMTP_PASSWORD: z.string().optional().describe('Password at the mail server'),
    SMTP_USE_TLS: flag()
      .optional()
      .describe('Refuse to send without TLS (STARTTLS); default: true, except for a server on this machine'),
    EMAILS_FROM_EMAIL: z
      .email({ error: 'must be an email address' })
      .default('no-reply@example.com')
      .describe('Sender address of the mails'),
    EMAILS_FROM_NAME: z
      .string()
      .optional()
      .describe('Sender name of the mails; default: the name in src/brand.ts'),
    EMAIL_EXPIRATION: wholeNumber({ min: 1, max: 604_800 })
      .default(3600)
      .describe('Lifetime of a verification, in seconds; a password reset expires after 30 minutes at most'),
    UNVERIFIED_USER_EXPIRE_DAYS: wholeNumber({ min: 0, max: 365 })
      .default(7)
      .describe('Days after which users are deleted who neither verify their address nor log in; 0: never'),
    NOTICE_NEW_LOGIN: flag()
      .default(false)
      .describe('Mail users when a client logs in that has not logged in to their account before'),
  })
  .transform((env) => ({
    /** Undefined: mails are kept. */
    smtp:
      env.SMTP_HOST === undefined
        ? undefined
        : {
            host: env.SMTP_HOST,
            port: env.SMTP_PORT,
            user: env.SMTP_USER,
            password: env.SMTP_PASSWORD,
            // Otherwise an attacker in the middle could strip STARTTLS and read every mailed token.
            requireTls: env.SMTP_USE_TLS ?? !isThisMachine(env.SMTP_HOST),
          },
    from: { address: env.EMAILS_FROM_EMAIL, name: env.EMAILS_FROM_NAME },
    unverifiedUserDays: env.UNVERIFIED_USER_EXPIRE_DAYS,
    noticeNewLogin: env.NOTICE_NEW_LOGIN,
    verificationSeconds: env.EMAIL_EXPIRATION,
    resetSeconds: Math.min(env.EMAIL_EXPIRATION, 30 * 60),
  }))

const isThisMachine = (host: string) => ['localhost', '127.0.0.1', '::1'].includes(host)
