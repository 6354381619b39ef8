/** A mail as it goes out. */
export interface MailMessage {
  /** With the angle brackets; the same at every attempt to send this mail. */
  messageId: string
  from: { name: string; address: string }
  /** An address, and nothing else. */
  to: string
  subject: string
  html: string
  text: string
}

/** What hands mails to the outside world. The default speaks SMTP (smtp.ts); another one is passed to buildApp. */
export interface Mailer {
  /**
   * Resolves when the mail is accepted for delivery, rejects if it is not: it will be sent again.
   * @param signal aborts when the attempt has taken too long, or the service stops. Sending must stop too, or the mail
   * may arrive twice.
   */
  send(message: MailMessage, signal: AbortSignal): Promise<void>
  /** Called once, when nothing is being sent any more. */
  close?(): void | Promise<void>
}
