/** A mail to send. */
export interface MailMessage {
  /** With angle brackets. The same for every attempt. */
  messageId: string
  from: { name: string; address: string }
  /** Only an address, without a name. */
  to: string
  subject: string
  html: string
  text: string
}

/** Sends mails. The default uses SMTP (smtp.ts). Pass another one to buildApp. */
export interface Mailer {
  /**
   * Resolves when the mail is accepted for delivery. If it rejects, the mail is retried later, unless it was refused.
   * @param signal aborts if the attempt takes too long or the service stops. Sending must stop then, otherwise the mail
   * may arrive twice.
   */
  send(message: MailMessage, signal: AbortSignal): Promise<void>
  /** Called once, after the last attempt. */
  close?(): void | Promise<void>
}

/** Maximum number of concurrent attempts. More than the stalled mails that the limits let one client cause. */
export const maxConnections = 1_000

/**
 * The reason why a mail was not sent, for the log. Of the server's response it has only the codes (RFC 5321, RFC 3463),
 * because the text may quote the mail and its token.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, response } = error as Error & { code?: unknown; response?: unknown }
  const name = typeof code === 'string' ? `${code} ` : ''
  if (typeof response !== 'string') return `${name}${error.message}`
  return `${name}${/^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0] ?? 'unreadable answer'}`
}

/**
 * Statuses of the relay, the sender or the account, for which servers refuse the recipient or the content too: mail
 * system, routing and limits, policy (RFC 3463 section 3). "554 5.7.1 Relay access denied" is one.
 */
const ownStatus = /^\d{3}[ -]5\.[347]\./

/**
 * Whether the server permanently refused the recipient or the content of the mail (5xx, RFC 5321 section 4.2.1). Not if
 * it refused the sender or the login (530, RFC 4954), which the owner can fix in time.
 */
export function isRefusal(error: unknown): boolean {
  const { command, permanent, responseCode, response } = Object(error)
  const isOwners = responseCode === 530 || ownStatus.test(response)
  return permanent === true && ['RCPT TO', 'DATA'].includes(command) && !isOwners
}
