import { createHmac } from 'node:crypto'
import type { SMTPConnectionCustomAuthContext } from 'nodemailer/lib/smtp-connection'
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
  const { host, port, user, password = '', ehlo, requireTls } = settings
  // Load the library only if it is used.
  const { createTransport } = await import('nodemailer')
  const secure = [465, 2465, 8465].includes(port)
  const transport = createTransport({
    pool: true,
    host,
    port,
    name: ehlo,
    secure,
    requireTLS: requireTls && !secure,
    // If TLS is required, the certificate must be valid. Otherwise TLS is used if offered, with any certificate: an
    // attacker who could forge one could also remove the offer (opportunistic security, RFC 7435).
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: requireTls || secure },
    ...(user !== undefined && { auth: { user, pass: password } }),
    customAuth: { PLAIN: logIn },
    // For an email of which nothing was sent when the server closed. The outbox schedules all other retries.
    maxRequeues: 1,
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

/** Tries each method that is offered: some servers offer PLAIN and refuse it. */
async function logIn({ auth, authMethods, sendCommand }: SMTPConnectionCustomAuthContext) {
  const { user, pass } = auth.credentials
  const hmac = (nonce: string) => createHmac('md5', pass).update(nonce, 'base64').digest('hex')
  const methods = {
    PLAIN: [() => `\0${user}\0${pass}`],
    LOGIN: [() => user, () => pass],
    'CRAM-MD5': [(nonce: string) => `${user} ${hmac(nonce)}`],
  }
  for (const [name, steps] of Object.entries(methods).filter(([name]) => authMethods.includes(name))) {
    let reply = await sendCommand(`AUTH ${name}`)
    for (const step of steps)
      if (reply.status === 334) reply = await sendCommand(Buffer.from(step(reply.text)).toString('base64'))
    if (reply.status === 235) return
  }
  throw new Error('Invalid login')
}

/**
 * The reason why an email was not sent, for the log. Of the server's response it has the codes (RFC 5321, RFC 3463), and
 * the text only before the content: after it, the text may quote the email and its token.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, command, response } = error as Error & Record<'code' | 'command' | 'response', unknown>
  const name = typeof code === 'string' ? `${code} ` : ''
  if (typeof response !== 'string') return `${name}${error.message}`
  if (command === 'MAIL FROM' || command === 'RCPT TO') return `${name}${response}`
  return `${name}${/^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0] ?? 'unreadable answer'}`
}

/** Refusals of a recipient that are about the sender, the relay or the login (RFC 3463 section 3, RFC 4954). */
const isOwners = /^530|^\d{3}[ -]5\.(1\.[078]|2\.252|[347]\.\d+)\b|sender(?!\S*@)/i

/**
 * Whether the server permanently refused the recipient (5xx, RFC 5321 section 4.2.1), which some do after the content.
 * Not if it refused the sender, the login or the content, which the owner can fix in time.
 */
export function isRefusal(error: unknown): boolean {
  const { command, permanent, response } = Object(error)
  if (permanent !== true) return false
  if (command === 'DATA') return /^\d{3}[ -]5\.(1\.1|2\.[12])\b/.test(response)
  return command === 'RCPT TO' && !isOwners.test(response)
}
