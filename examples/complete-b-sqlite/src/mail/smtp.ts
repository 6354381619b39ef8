import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'
import type { Mailer } from './mailer.ts'

/** Maximum number of concurrent attempts. More than the stalled mails that the limits let one client cause. */
export const smtpConnections = 50

interface SmtpTimeouts {
  /** Timeout for the connection and for the greeting of the server, each in milliseconds. */
  connectMs: number
  /** Timeout of an idle connection, in milliseconds. */
  silenceMs: number
}

/** Sends mails to the configured server, over a pool of connections. */
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
    // If TLS is required, the certificate must be valid. Otherwise TLS is used if offered, with any certificate: an
    // attacker who could forge one could also remove the offer (opportunistic security, RFC 7435).
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: requireTls || secure },
    ...(user !== undefined && { auth: { user, pass: password } }),
    maxConnections: smtpConnections,
    // A broken connection is a failed attempt. The outbox schedules the retry.
    maxRequeues: 0,
    dnsTimeout: connectMs,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    // Mails have no attachments: a path or URL injected into one must not be read and sent.
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  return {
    async send({ from, to, ...message }, signal) {
      await transport.sendMail({
        ...message,
        from,
        // An object is not parsed: a crafted string could name a second recipient.
        to: { name: '', address: to },
        // RFC 3834: suppresses out-of-office replies.
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal,
      })
    },
    close: () => transport.close({ force: true }),
  }
}
