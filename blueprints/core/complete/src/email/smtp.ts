import type { Config } from '../config.ts'

/** An email to send. */
export interface EmailMessage {
  /** With angle brackets. The same for every delivery. */
  messageId: string
  from: { name: string; address: string }
  /** Only an address, without a name. */
  to: string
  subject: string
  html: string
  text: string
}

/** Sends emails. The default uses SMTP. Pass another one to buildApp. */
export interface Mailer {
  /**
   * Resolves when the email is accepted for delivery. If it rejects, the email is retried later, unless it was refused.
   * @param signal aborts if the delivery takes too long or the service stops. Sending must stop then, otherwise the email
   * may arrive twice.
   */
  send(message: EmailMessage, signal: AbortSignal): Promise<void>
  /** Called once, after the last delivery. */
  close?(): void | Promise<void>
}

/** Sends emails to the configured server, over a pool of connections. */
export async function createSmtpMailer(settings: NonNullable<Config['email']['smtp']>): Promise<Mailer> {
  const { host, port, user, password = '', requireTls } = settings
  // Load the library only if it is used.
  const { createTransport } = await import('nodemailer')
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
    // A broken connection is a failed delivery. The outbox schedules the retry.
    maxRequeues: 0,
    // Emails have no attachments: a path or URL injected into one must not be read and sent.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, ...message }, signal) {
      await transport.sendMail({
        ...message,
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

/**
 * The reason why an email was not sent, for the log. Of the server's response it has only the codes (RFC 5321, RFC 3463),
 * because the text may quote the email and its token.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, response } = error as Error & { code?: unknown; response?: unknown }
  const name = typeof code === 'string' ? `${code} ` : ''
  if (typeof response !== 'string') return `${name}${error.message}`
  return `${name}${/^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0] ?? 'unreadable answer'}`
}

/**
 * Statuses of the relay, the sender or the account, for which servers refuse the recipient or the content too: email
 * system, routing and limits, policy (RFC 3463 section 3). "554 5.7.1 Relay access denied" is one.
 */
const ownStatus = /^\d{3}[ -]5\.[347]\./

/**
 * Whether the server permanently refused the recipient or the content of the email (5xx, RFC 5321 section 4.2.1). Not if
 * it refused the sender or the login (530, RFC 4954), which the owner can fix in time.
 */
export function isRefusal(error: unknown): boolean {
  const { command, permanent, responseCode, response } = Object(error)
  const isOwners = responseCode === 530 || ownStatus.test(response)
  return permanent === true && ['RCPT TO', 'DATA'].includes(command) && !isOwners
}
