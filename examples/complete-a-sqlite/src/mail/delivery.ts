import { and, asc, eq, isNull, lte, sql } from 'drizzle-orm'
import type { KeyRing } from '../accounts/keys.ts'
import type { Config } from '../config.ts'
import type { Database, Reader } from '../db/database.ts'
import { skipLocked } from '../db/dialect.ts'
import { outbox, type QueuedMail } from '../db/schema/outbox.ts'
import { reasonOf } from './failure.ts'
import type { Mailer, MailMessage } from './mailer.ts'
import { unseal } from './seal.ts'
import type { MailTemplates } from './templates.ts'

/** An attempt that takes longer has failed. */
const attemptMs = 45_000

/** A mail that a worker claimed so long ago is taken for abandoned: longer than any attempt, also by another clock. */
const leaseMs = 60_000

/** Times between two attempts double, within these bounds. */
const firstPauseMs = 15_000
const longestPauseMs = 60 * 60_000

/** After the last attempt a day after the request a mail is given up. */
const giveUpMs = 24 * 60 * 60_000

type LogEntry = (entry: object, message: string) => void

export interface DeliveryDependencies {
  db: Database
  from: Config['mail']['from']
  keys: KeyRing
  log: { info: LogEntry; warn: LogEntry; error: LogEntry }
  mailer: Mailer
  now: () => number
  templates: MailTemplates
}

export interface Delivery {
  /**
   * Claims one mail that is due and tries to send it. Any number may run at a time, in any number of processes: each
   * takes another mail.
   * @param stop aborts the attempt, which counts as failed
   * @returns whether there was one
   */
  deliverNext(stop?: AbortSignal): Promise<boolean>
}

/**
 * Sends what is in the outbox. A mail is sent once: it is sent again only if a process died between sending it and
 * remembering that, and then under the same Message-ID.
 */
export function createDelivery({
  db,
  from,
  keys,
  log,
  mailer,
  now,
  templates,
}: DeliveryDependencies): Delivery {
  const isDue = () =>
    and(isNull(outbox.sentAt), isNull(outbox.failedAt), lte(outbox.nextAttemptAt, new Date(now())))
  const nextDue = (db: Reader) =>
    db
      .select({ id: outbox.id })
      .from(outbox)
      .where(isDue())
      .orderBy(asc(outbox.nextAttemptAt), asc(outbox.id))
      .limit(1)

  /** Takes the mail that has been due for longest, for the time of the lease. */
  async function claim(): Promise<QueuedMail | undefined> {
    // Nearly always there is none: then no transaction is begun.
    if ((await nextDue(db.read)).length === 0) return undefined
    return db.transaction(async (tx) => {
      const [next] = await skipLocked(nextDue(tx))
      if (!next) return undefined
      const [mail] = await tx
        .update(outbox)
        .set({ attempts: sql`${outbox.attempts} + 1`, nextAttemptAt: new Date(now() + leaseMs) })
        .where(eq(outbox.id, next.id))
        .returning()
      return mail
    })
  }

  /** Writes down how an attempt ended, unless the lease was over and another one has begun. */
  const record = ({ id, attempts }: QueuedMail, outcome: Partial<QueuedMail>) =>
    db.transaction(async (tx) => {
      await tx
        .update(outbox)
        .set(outcome)
        .where(and(eq(outbox.id, id), eq(outbox.attempts, attempts), isNull(outbox.sentAt)))
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
      await record(mail, { failedAt: new Date(now()), sealedVariables: null })
      log.error({ event: 'mail.given_up', ...entry }, 'mail given up')
      return
    }
    const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs)
    const nextAttemptAt = new Date(Math.min(now() + pause, giveUpAt))
    await record(mail, { nextAttemptAt })
    if (!templates.names.includes(template)) {
      // Left behind by a change of the profile, or of a deploy without the file: it may still come back in time.
      log.error({ event: 'mail.template_missing', ...entry, nextAttemptAt }, 'mail not sent: no template')
      return
    }
    log.warn({ event: 'mail.failed', ...entry, nextAttemptAt }, 'mail not sent, will be tried again')
  }

  return {
    async deliverNext(stop) {
      const mail = await claim()
      if (!mail) return false
      try {
        const message = messageOf(mail)
        await attempt((signal) => mailer.send(message, signal), stop)
      } catch (error) {
        await recordFailure(mail, error)
        return true
      }
      // What opens an account is not kept longer than it takes to send it.
      await record(mail, { sentAt: new Date(now()), sealedVariables: null })
      const { id: mailId, attempts, template } = mail
      log.info({ event: 'mail.sent', mailId, template, attempts }, 'mail sent')
      return true
    },
  }
}

/** One attempt. It ends with the time or with `stop`, even if the mailer never comes back: it holds up no worker. */
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
