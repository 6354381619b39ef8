import pLimit from 'p-limit'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { QueuedMail } from '../db/schema/outbox.ts'
import type { KeyRing } from '../keys.ts'
import { type Mailer, type MailMessage, reasonOf } from './mailer.ts'
import { claimMail, recordAttempt } from './outbox.ts'
import { unseal } from './seal.ts'
import type { MailTemplates } from './templates.ts'

/** Timeout of an attempt, in milliseconds. */
const attemptMs = 45_000

/** Lease of a claimed mail, in milliseconds. Longer than an attempt, even if the clocks of two instances differ. */
const leaseMs = 60_000

/** Pause after the first attempt, in milliseconds. It doubles up to `longestPauseMs`. */
const firstPauseMs = 15_000
const longestPauseMs = 60 * 60_000

/** A mail is given up after the last attempt, one day after it was queued. */
const giveUpMs = 24 * 60 * 60_000

interface DeliveryDependencies {
  /** Maximum number of concurrent attempts for one recipient domain. */
  attemptsPerDomain: number
  db: Database
  from: Config['mail']['from']
  keys: KeyRing
  log: Record<'info' | 'warn' | 'error', (entry: object, message: string) => void>
  mailer: Mailer
  now: () => number
  templates: MailTemplates
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
 * Sends the mails in the outbox. A mail is sent twice only if a process dies between sending it and recording that.
 * Both have the same Message-ID.
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
}: DeliveryDependencies): Delivery {
  /** The recipient domain of each current attempt. */
  const domains: string[] = []
  const oneAtATime = pLimit(1)

  /**
   * Claims a mail, but none to a domain with enough attempts: a few mails to a server that stalls would occupy all
   * workers, and an attacker could delay the password resets of everyone else. Calls take turns, so all are counted.
   */
  const claim = () =>
    oneAtATime(async () => {
      const isFull = (domain: string) =>
        domains.filter((other) => other === domain).length >= attemptsPerDomain
      const mail = await claimMail(db, now, leaseMs, domains.filter(isFull))
      if (mail) domains.push(domainOf(mail))
      return mail
    })

  function messageOf({ messageId, recipient, subject, template, sealedVariables }: QueuedMail): MailMessage {
    const variables = JSON.parse(unseal(sealedVariables ?? '', keys))
    return { messageId, from, to: recipient, subject, ...templates.render(template, variables) }
  }

  async function recordFailure(mail: QueuedMail, error: unknown): Promise<void> {
    const { id: mailId, attempts, template } = mail
    const giveUpAt = mail.createdAt.getTime() + giveUpMs
    const entry = { mailId, template, attempts, reason: reasonOf(error) }
    if (now() >= giveUpAt) {
      await recordAttempt(db, mail, { failedAt: new Date(now()), sealedVariables: null })
      log.error({ event: 'mail.given_up', ...entry }, 'mail given up')
      return
    }
    const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs)
    const nextAttemptAt = new Date(Math.min(now() + pause, giveUpAt))
    await recordAttempt(db, mail, { nextAttemptAt })
    if (!templates.names.includes(template)) {
      // After a switch of the profile, or a deployment without the file. The template may be restored in time.
      log.error({ event: 'mail.template_missing', ...entry, nextAttemptAt }, 'mail not sent: no template')
      return
    }
    log.warn({ event: 'mail.failed', ...entry, nextAttemptAt }, 'mail not sent, will be tried again')
  }

  async function deliver(mail: QueuedMail, stop?: AbortSignal): Promise<void> {
    try {
      const message = messageOf(mail)
      await attempt((signal) => mailer.send(message, signal), stop)
    } catch (error) {
      await recordFailure(mail, error)
      return
    }
    // The variables contain tokens: delete them as soon as the mail is sent.
    await recordAttempt(db, mail, { sentAt: new Date(now()), sealedVariables: null })
    const { id: mailId, attempts, template } = mail
    log.info({ event: 'mail.sent', mailId, template, attempts }, 'mail sent')
  }

  return {
    async deliverNext(stop, onClaim) {
      const mail = await claim()
      if (!mail) return false
      onClaim?.()
      await deliver(mail, stop).finally(() => domains.splice(domains.indexOf(domainOf(mail)), 1))
      return true
    },
  }
}

const domainOf = ({ recipient }: QueuedMail): string => recipient.slice(recipient.lastIndexOf('@') + 1)

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
