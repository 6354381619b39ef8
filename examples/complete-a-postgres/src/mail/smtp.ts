import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'
import type { Mailer } from './mailer.ts'

/** How many mails are sent at a time. */
export const smtpConnections = 4

export interface SmtpTimeouts {
  /** For connecting, and for the server's greeting, each in milliseconds. */
  connectMs: number
  /** Longest silence of the server afterwards, in milliseconds. */
  silenceMs: number
}

/** Sends mails to the configured server, over a few connections that stay open for a while. */
export function createSmtpMailer(
  { host, port, user, password = '', requireTls }: NonNullable<Config['mail']['smtp']>,
  { connectMs, silenceMs }: SmtpTimeouts = { connectMs: 10_000, silenceMs: 30_000 },
): Mailer {
  const secure = port === 465
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure,
    requireTLS: requireTls && !secure,
    // Where TLS is asked for, the server has to prove who it is. Where it is not, it is used if offered, whatever the
    // certificate: whoever could forge one could also strip the offer (opportunistic security, RFC 7435).
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: requireTls || secure },
    ...(user !== undefined && { auth: { user, pass: password } }),
    maxConnections: smtpConnections,
    // A connection that breaks is a failed attempt: the outbox knows when to try again.
    maxRequeues: 0,
    dnsTimeout: connectMs,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    // No mail of ours has an attachment; a path or URL that gets into one would be read and sent to a stranger.
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  return {
    async send({ from, to, ...message }, signal) {
      await transport.sendMail({
        ...message,
        from,
        // As an object: a string would be parsed, and a crafted one could name a second recipient.
        to: { name: '', address: to },
        // RFC 3834: no out-of-office notice is wanted.
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal,
      })
    },
    close: () => transport.close({ force: true }),
  }
}
