import type { Database } from '../db/database.ts'
import type { QueuedMail } from '../db/schema/outbox.ts'
import { attempt } from './attempt.ts'
import { leaseMs, recordAttempt } from './claim.ts'
import { createClaims } from './domain-shares.ts'
import { isRefusal, type Mailer, type MailMessage, reasonOf } from './mailer.ts'
import { keepMs, type OutboxTime, waysBack } from './outbox.ts'
import type { QueuedVariables } from './queued-variables.ts'
import type { MailTemplates } from './templates.ts'

/** How often, and with which pause in milliseconds, to try to record a sent mail. */
const recordTries = 60
const recordPauseMs = 1_000

/** How often an attempt renews the lease of its mail, in milliseconds. */
const renewMs = 15_000

/** Pause after the first attempt, in milliseconds. It doubles up to `longestPauseMs`. */
const firstPauseMs = 15_000
const longestPauseMs = 60 * 60_000

/** A mail is given up after the last attempt, one day after it was queued, or when its token has expired. */
const giveUpMs = 24 * 60 * 60_000

interface DeliveryDependencies {
  /** Maximum number of concurrent attempts for one recipient domain, besides those that take long. */
  attemptsPerDomain: number
  db: Database
  from: MailMessage['from']
  log: Record<'info' | 'warn' | 'error', (entry: object, message: string) => void>
  mailer: Mailer
  now: () => number
  queuedVariables: QueuedVariables
  templates: MailTemplates
  time: OutboxTime
}

export interface Delivery {
  /**
   * Claims a due mail and tries to send it. Concurrent calls, also in other processes, claim different mails.
   * @param stop aborts the attempt, which counts as failed
   * @param onClaim called when a mail is claimed
   * @returns whether a mail was claimed
   */
  deliverNext(stop?: AbortSignal, onClaim?: () => void): Promise<boolean>
}

/**
 * Sends the mails in the outbox. One that the mail server has is sent again if its answer takes more than 10 minutes or
 * cannot be recorded: the process dies or stops, or the database is down. All copies have the same Message-ID.
 */
export function createDelivery({
  attemptsPerDomain,
  db,
  from,
  log,
  mailer,
  now,
  queuedVariables,
  templates,
  time,
}: DeliveryDependencies): Delivery {
  const claim = createClaims({ attemptsPerDomain, db, now, time })

  function messageOf(mail: QueuedMail): MailMessage {
    const { messageId, recipient, subject, template } = mail
    const body = templates.render(template, queuedVariables(mail))
    return { messageId, from, to: recipient, ...body, subject }
  }

  async function recordFailure(mail: QueuedMail, error: unknown): Promise<void> {
    const { id: mailId, attempts, template } = mail
    const lastTryAt = mail.createdAt.getTime() + (waysBack.includes(template) ? keepMs : giveUpMs)
    const giveUpAt = Math.min(lastTryAt, Number(mail.notAfter ?? Infinity))
    const entry = { mailId, template, attempts, reason: reasonOf(error) }
    const isRefused = isRefusal(error)
    // A refused mail is refused again, and servers block senders that keep trying addresses that do not exist.
    if (isRefused || now() >= giveUpAt) {
      await recordAttempt(db, mail, { failedAt: new Date(now()), sealedVariables: null })
      log[isRefused ? 'warn' : 'error']({ event: 'mail.given_up', ...entry }, 'mail given up')
      return
    }
    const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs)
    const pauseMs = Math.min(pause, giveUpAt - now())
    await recordAttempt(db, mail, { nextAttemptAt: time(pauseMs) })
    const nextAttemptAt = new Date(now() + pauseMs)
    if (!templates.names.includes(template)) {
      // After a deployment without the file, for example. The template may be restored in time.
      log.error({ event: 'mail.template_missing', ...entry, nextAttemptAt }, 'mail not sent: no template')
      return
    }
    log.warn({ event: 'mail.failed', ...entry, nextAttemptAt }, 'mail not sent, will be tried again')
  }

  /** Renews the lease until the returned function is called. A renewal that fails is followed by the next one. */
  function keepLease(mail: QueuedMail): () => Promise<void> {
    let renewing = Promise.resolve()
    const timer = setInterval(() => {
      renewing = recordAttempt(db, mail, { nextAttemptAt: time(leaseMs) }).catch(() => {})
    }, renewMs)
    return async () => {
      clearInterval(timer)
      await renewing
    }
  }

  /** Records that a mail is sent, if necessary once the database is back: otherwise it would be sent again. */
  async function recordSent(mail: QueuedMail, stop?: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        // The variables contain tokens: delete them as soon as the mail is sent.
        return await recordAttempt(db, mail, { sentAt: new Date(now()), sealedVariables: null })
      } catch (error) {
        if (tries === recordTries || stop?.aborted) throw error
        await new Promise((resolve) => setTimeout(resolve, recordPauseMs))
      }
    }
  }

  async function deliver(mail: QueuedMail, stop?: AbortSignal): Promise<void> {
    const endLease = keepLease(mail)
    try {
      // After an outage: users would enter a code that is no longer valid.
      if (mail.notAfter && now() >= mail.notAfter.getTime())
        throw new Error('The token in the mail has expired')
      // Mode basic sends none, and the first clean-up after it is too late: users would read of a login long ago.
      if (now() >= mail.createdAt.getTime() + keepMs) throw new Error('The mail is older than a week')
      const message = messageOf(mail)
      await attempt((signal) => mailer.send(message, signal), stop)
    } catch (error) {
      await endLease()
      await recordFailure(mail, error)
      return
    }
    await recordSent(mail, stop).finally(endLease)
    const { id: mailId, attempts, template } = mail
    log.info({ event: 'mail.sent', mailId, template, attempts }, 'mail sent')
  }

  return {
    async deliverNext(stop, onClaim) {
      const claimed = await claim()
      if (!claimed) return false
      onClaim?.()
      await deliver(claimed.mail, stop).finally(claimed.end)
      return true
    },
  }
}
