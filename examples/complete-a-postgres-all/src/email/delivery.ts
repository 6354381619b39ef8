import { and, eq, type SQL } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { outbox, type QueuedEmail } from '../db/schema/outbox.ts'
import { keepMs, queuedVariables, waysBack } from './outbox.ts'
import { type EmailMessage, isRefusal, type Mailer, reasonOf } from './smtp.ts'

/** Timeout of a delivery, in milliseconds. */
const deliveryMs = 60_000

/** Pause before the second try to record a sent email, in milliseconds. */
const recordPauseMs = 5_000

/** Pause after the first delivery, in milliseconds. It doubles up to `longestPauseMs`. */
const firstPauseMs = 15_000
const longestPauseMs = 60 * 60_000

/** An email is given up after the last delivery, one day after it was queued, or when its token has expired. */
const giveUpMs = 24 * 60 * 60_000

export interface DeliveryContext extends Context {
  mailer: Mailer
}

/**
 * Sends a claimed email and records the outcome. An email that the mail server has is sent again if its answer takes more
 * than a minute or cannot be recorded: the process dies or stops, or the database is down. All copies have the same
 * Message-ID.
 * @param controller aborts the delivery, which counts as failed
 */
export async function deliver(
  context: DeliveryContext,
  email: QueuedEmail,
  controller = new AbortController(),
): Promise<void> {
  const timer = setTimeout(() => controller.abort(new Error('The delivery took too long')), deliveryMs)
  try {
    refuseLate(email, context.now())
    await send(context.mailer, messageOf(context, email), controller.signal)
  } catch (error) {
    await recordFailure(context, email, error)
    return
  } finally {
    clearTimeout(timer)
  }
  await recordSent(context, email)
  const { id: mailId, attempts, template } = email
  context.log.info({ event: 'mail.sent', mailId, template, attempts }, 'email sent')
}

/** @throws Error if no one expects the email any more */
function refuseLate({ createdAt, notAfter }: QueuedEmail, now: number): void {
  // After an outage: users would enter a code that is no longer valid.
  if (notAfter && now >= notAfter.getTime()) throw new Error('The token in the email has expired')
  // After a week without a mail server, no one expects it: users would read of a login long ago.
  if (now >= createdAt.getTime() + keepMs) throw new Error('The email is older than a week')
}

function messageOf({ keys, outbox: { from, templates } }: DeliveryContext, email: QueuedEmail): EmailMessage {
  const { messageId, recipient, subject, template } = email
  const body = templates.render(template, queuedVariables(email, keys.outbox))
  return { messageId, from, to: recipient, ...body, subject }
}

/** Ends when the signal aborts, even if the mailer never settles. */
const send = (mailer: Mailer, message: EmailMessage, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    mailer.send(message, signal).then(resolve, reject)
  })

async function recordSent(context: DeliveryContext, email: QueuedEmail): Promise<void> {
  // The variables contain tokens: delete them as soon as the email is sent.
  const sent = { sentAt: new Date(context.now()), sealedVariables: null }
  await record(context, email, sent).catch(async () => {
    // Once more, when the database may be back: otherwise the email would be sent again.
    await new Promise((resolve) => setTimeout(resolve, recordPauseMs))
    await record(context, email, sent)
  })
}

async function recordFailure(context: DeliveryContext, email: QueuedEmail, error: unknown): Promise<void> {
  const { log, now } = context
  const { templates, time } = context.outbox
  const { id: mailId, attempts, createdAt, notAfter, template } = email
  const entry = { mailId, template, attempts, reason: reasonOf(error) }
  const lastAt = createdAt.getTime() + (waysBack.includes(template) ? keepMs : giveUpMs)
  const leftMs = Math.min(lastAt, Number(notAfter ?? Infinity)) - now()
  // A refused email is refused again, and servers block senders that keep trying addresses that do not exist. But a thief
  // could fill the mailbox, so that the owner gets no way back.
  const isRefused = isRefusal(error) && !waysBack.includes(template)
  if (isRefused || leftMs <= 0) {
    await record(context, email, { failedAt: new Date(now()), sealedVariables: null })
    log[isRefused ? 'warn' : 'error']({ event: 'mail.given_up', ...entry }, 'email given up')
    return
  }
  const pauseMs = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs, leftMs)
  await record(context, email, { nextAttemptAt: time(pauseMs) })
  const retry = { ...entry, nextAttemptAt: new Date(now() + pauseMs) }
  // After a deployment without the file, for example. The template may be restored in time.
  if (!templates.names.includes(template))
    log.error({ event: 'mail.template_missing', ...retry }, 'email not sent: no template')
  else log.warn({ event: 'mail.failed', ...retry }, 'email not sent, will be tried again')
}

interface Outcome extends Partial<Pick<QueuedEmail, 'sentAt' | 'failedAt' | 'sealedVariables'>> {
  nextAttemptAt?: Date | SQL
}

/** Records the outcome of a delivery, unless its lease has expired and another delivery has started. */
const record = ({ db }: DeliveryContext, { id, attempts }: QueuedEmail, outcome: Outcome): Promise<void> =>
  db.transaction(async (tx) => {
    await tx
      .update(outbox)
      .set(outcome)
      .where(and(eq(outbox.id, id), eq(outbox.attempts, attempts)))
  })
