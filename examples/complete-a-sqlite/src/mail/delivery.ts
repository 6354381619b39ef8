import pLimit from 'p-limit'
import type { Database } from '../db/database.ts'
import type { QueuedMail } from '../db/schema/outbox.ts'
import type { KeyRing } from '../keys.ts'
import { claimMail, recordAttempt } from './claim.ts'
import { isRefusal, type Mailer, type MailMessage, reasonOf } from './mailer.ts'
import type { OutboxTime } from './outbox.ts'
import { unseal } from './seal.ts'
import type { MailTemplates } from './templates.ts'

/** Timeout of an attempt, in milliseconds. Longer than the timeouts in smtp.ts together. */
const attemptMs = 11 * 60_000

/** An attempt that takes longer, in milliseconds, leaves its place to another one for its domain. */
const placeMs = 10_000

/** Maximum number of attempts for one domain, whatever they take: a mail server accepts only so many connections. */
const maxPerDomain = 20

/** How often, and with which pause in milliseconds, to try to record a sent mail. */
const recordTries = 60
const recordPauseMs = 1_000

/** Lease of a claimed mail, in milliseconds. An attempt renews it, so that after a crash the next one need not wait. */
const leaseMs = 60_000
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
  keys: KeyRing
  log: Record<'info' | 'warn' | 'error', (entry: object, message: string) => void>
  mailer: Mailer
  now: () => number
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
  keys,
  log,
  mailer,
  now,
  templates,
  time,
}: DeliveryDependencies): Delivery {
  /** The current attempts. */
  const current = new Set<{ domain: string; startedAt: number }>()
  let lastDomain = ''
  const oneAtATime = pLimit(1)

  /**
   * Claims a mail, but none to a domain with enough attempts: a few mails to a server that stalls would occupy all
   * workers, and an attacker could delay the password resets of everyone else. Attempts that take long do not count: two
   * of them would delay all other mails to their domain. Calls take turns, so all are counted.
   */
  const claim = () =>
    oneAtATime(async () => {
      const all = [...current]
      const recent = all.filter(({ startedAt }) => now() - startedAt < placeMs)
      const isFull = (of: typeof all, max: number) => (domain: string) =>
        of.filter((each) => each.domain === domain).length >= max
      const [isBusy, isStuck] = [isFull(recent, attemptsPerDomain), isFull(all, maxPerDomain)]
      const domains = [...new Set(all.map(({ domain }) => domain))]
      const fullDomains = domains.filter((domain) => isBusy(domain) || isStuck(domain))
      const mail = await claimMail(db, time, { leaseMs, fullDomains, lastDomain })
      if (!mail) return undefined
      lastDomain = mail.domain
      const entry = { domain: mail.domain, startedAt: now() }
      current.add(entry)
      return { mail, end: () => current.delete(entry) }
    })

  function messageOf({ messageId, recipient, subject, template, sealedVariables }: QueuedMail): MailMessage {
    const variables = JSON.parse(unseal(sealedVariables ?? '', keys))
    return { messageId, from, to: recipient, ...templates.render(template, variables), subject }
  }

  async function recordFailure(mail: QueuedMail, error: unknown): Promise<void> {
    const { id: mailId, attempts, template } = mail
    const giveUpAt = Math.min(mail.createdAt.getTime() + giveUpMs, Number(mail.notAfter ?? Infinity))
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
      // After a switch of the profile, or a deployment without the file. The template may be restored in time.
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

/** Runs one attempt. It ends at the timeout or with `stop`, even if the mailer never settles. */
function attempt(send: (signal: AbortSignal) => Promise<void>, stop?: AbortSignal): Promise<void> {
  const controller = new AbortController()
  return new Promise<void>((resolve, reject) => {
    const end = (reason: unknown) => {
      reject(reason)
      controller.abort(reason)
    }
    const onStop = () => end(stop?.reason)
    const timer = setTimeout(() => end(new Error('The attempt took too long')), attemptMs)
    stop?.addEventListener('abort', onStop)
    if (stop?.aborted) onStop()
    const sending = async () => send(controller.signal)
    sending()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        stop?.removeEventListener('abort', onStop)
      })
  })
}
