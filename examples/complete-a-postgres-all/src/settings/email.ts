import { z } from 'zod'
import { flag, settings, wholeNumber } from './types.ts'

/** How emails are sent. Without a host they are kept in the outbox. */
export const email = settings(
  {
    /** Mail server. Empty: emails are kept, and the script dev shows them at /dev/mailbox. */
    host: ['SMTP_HOST', z.string().optional()],
    /** Port of the mail server; 465, 2465 and 8465 use TLS from the start. */
    port: ['SMTP_PORT', wholeNumber({ min: 1, max: 65_535 }).default(587)],
    /** User name at the mail server. Empty: none. */
    user: ['SMTP_USER', z.string().optional()],
    /** Password at the mail server. Empty: none. */
    password: ['SMTP_PASSWORD', z.string().optional()],
    /** What the service calls itself to the mail server (EHLO). Empty: the domain of the sender's address. */
    ehlo: ['SMTP_EHLO_NAME', z.hostname('must be a host name').optional()],
    /** Refuse to send without TLS (STARTTLS). Empty: true, except for a server on this machine. */
    useTls: ['SMTP_USE_TLS', flag().optional()],
    /** Sender of the emails, an address that the mail server lets you use. */
    fromAddress: ['EMAILS_FROM_EMAIL', z.email('must be an email address').default('no-reply@example.com')],
    /** Name of the sender and of the service in emails. Empty: the name in src/settings/server.ts. */
    fromName: ['EMAILS_FROM_NAME', z.string().optional()],
    /** Lifetime of a verification in seconds. A password reset expires after 30 minutes at most. */
    verificationSeconds: ['EMAIL_EXPIRATION', wholeNumber({ min: 1, max: 604_800 }).default(3600)],
    /** Days until users are deleted who registered and neither verified their address nor logged in; 0: never. */
    unverifiedUserDays: ['UNVERIFIED_USER_EXPIRE_DAYS', wholeNumber({ min: 0, max: 365 }).default(7)],
    /** Email users with a verified address when a client logs in that did not log in to their account for 30 days. */
    noticeNewLogin: ['NOTICE_NEW_LOGIN', flag().default(false)],
  },
  ({ host, port, user, password, useTls, fromAddress, fromName, ehlo = domainOf(fromAddress), ...rest }) => ({
    ...rest,
    // Otherwise an attacker in the middle could strip STARTTLS and read every emailed token.
    smtp: host ? { host, port, user, password, ehlo, requireTls: useTls ?? !isThisMachine(host) } : undefined,
    from: { address: fromAddress, name: fromName },
    resetSeconds: Math.min(rest.verificationSeconds, 30 * 60),
  }),
)

const isThisMachine = (host: string) => ['localhost', '127.0.0.1', '::1'].includes(host)
const domainOf = (address: string) => address.split('@').at(-1)
