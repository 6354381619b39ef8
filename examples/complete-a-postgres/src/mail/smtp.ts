import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'
import { type Mailer, maxConnections } from './mailer.ts'

interface SmtpTimeouts {
  /** Timeout for the connection and for the greeting of the server, each in milliseconds. */
  connectMs: number
  /** Timeout for everything until the server has the whole mail, in milliseconds. */
  handOverMs: number
  /** Timeout for its answer then, in milliseconds. At least 10 minutes (RFC 5321 section 4.5.3.2.6). */
  answerMs: number
}

/** The timeouts of the service. */
export const smtpTimeouts: SmtpTimeouts = { connectMs: 10_000, handOverMs: 45_000, answerMs: 10 * 60_000 }

/** Sends mails to the configured server, over a pool of connections. */
export function createSmtpMailer(
  { host, port, user, password = '', requireTls }: NonNullable<Config['email']['smtp']>,
  { connectMs, handOverMs, answerMs }: SmtpTimeouts = smtpTimeouts,
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
    maxConnections,
    // A broken connection is a failed attempt. The outbox schedules the retry.
    maxRequeues: 0,
    dnsTimeout: connectMs,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: answerMs,
    // Mails have no attachments: a path or URL injected into one must not be read and sent.
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  /** The timers of the mails that the server does not have yet, by Message-ID. */
  const handOvers = new Map<unknown, NodeJS.Timeout>()
  transport.use('stream', ({ data, message }, done) => {
    message.processFunc((input) => input.once('end', () => clearTimeout(handOvers.get(data.messageId))))
    done()
  })

  return {
    async send({ from, to, ...message }, signal) {
      const tooLate = new AbortController()
      const end = () => tooLate.abort(new Error('The mail server took too long to take the mail'))
      const timer = setTimeout(end, handOverMs)
      handOvers.set(message.messageId, timer)
      try {
        await transport.sendMail({
          ...message,
          from,
          // An object is not parsed: a crafted string could name a second recipient.
          to: { name: '', address: to },
          // RFC 3834: suppresses out-of-office replies.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, tooLate.signal]),
        })
      } catch (error) {
        throw tooLate.signal.reason ?? error
      } finally {
        clearTimeout(timer)
        handOvers.delete(message.messageId)
      }
    },
    close: () => transport.close({ force: true }),
  }
}
