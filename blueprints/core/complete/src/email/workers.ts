import { and, asc, eq, gt, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader } from '../db/database.ts'
import { outbox, type QueuedEmail } from '../db/schema/outbox.ts'
import { type DeliveryContext, deliver } from './delivery.ts'
import { type OutboxTime, priorities } from './outbox.ts'

/** How many emails are sent at a time. For more than 5, also set `maxConnections` in smtp.ts. */
export const workers = 4

/** How often to look for due emails, in milliseconds: retries, and emails queued by other processes. */
const pollMs = 1_000

/** How long current deliveries may take when the service stops, in milliseconds. Less than the limit in start.ts. */
const stopMs = 5_000

export type Workers = ReturnType<typeof startWorkers>

/** Sends emails until it is stopped. */
export function startWorkers(context: DeliveryContext) {
  const deliveries = new Map<Promise<void>, { domain: string; controller: AbortController }>()
  let isStopping = false
  let isWoken = false
  let claiming = Promise.resolve()

  const report = (error: unknown) => context.log.error({ err: error }, 'email delivery failed')

  /** One claim at a time, so that the next one counts its delivery. */
  function wake(): void {
    if (isWoken) return
    isWoken = true
    claiming = claiming.then(claimDue).catch(report)
  }

  async function claimDue(): Promise<void> {
    isWoken = false
    while (deliveries.size < workers && !isStopping) {
      const email = await claimNext(context, busyDomain())
      if (!email) return
      const controller = new AbortController()
      const delivery = deliver(context, email, controller)
        .catch(report)
        .finally(() => {
          deliveries.delete(delivery)
          wake()
        })
      deliveries.set(delivery, { domain: email.domain, controller })
    }
  }

  /**
   * The domain that has half of the workers, and gets no more: an attacker could occupy all of them with emails to a server
   * that never answers. A worker is free, so there is at most one.
   */
  function busyDomain(): string | undefined {
    const domains = [...deliveries.values()].map(({ domain }) => domain)
    return domains.find((domain) => domains.filter((each) => each === domain).length >= workers / 2)
  }

  const timer = setInterval(wake, pollMs)
  wake()
  return {
    /** Looks for emails immediately. */
    wake,
    /** Starts no more deliveries and resolves when the current ones have ended. Aborts them after a few seconds. */
    async stop(): Promise<void> {
      isStopping = true
      clearInterval(timer)
      const deadline = setTimeout(() => {
        for (const { controller } of deliveries.values())
          controller.abort(new Error('The service is stopping'))
      }, stopMs)
      await claiming
      await Promise.all(deliveries.keys())
      clearTimeout(deadline)
    },
  }
}

/** Lease of a claimed email, in milliseconds. Longer than a delivery: another instance would send the email too. */
export const leaseMs = 90_000

/** How many due emails are read to find one that is not to the busy domain. */
const window = 30

/** Emails to send now. */
export const isDue = (time: OutboxTime): SQL | undefined =>
  and(isNull(outbox.sentAt), isNull(outbox.failedAt), lte(outbox.nextAttemptAt, time(0)))

/**
 * Claims the next due email: until the lease ends, no other call claims it. Resets go before verifications, those before
 * all other emails; within each, the email that has been due longest.
 * @param busyDomain leaves the emails to this domain to later calls
 */
export async function claimNext(ctx: Context, busyDomain?: string): Promise<QueuedEmail | undefined> {
  const { db } = ctx
  const { time } = ctx.outbox
  for (const priority of priorities) {
    const due = and(eq(outbox.priority, priority), isDue(time))
    const id = await findNext(db.read, due, busyDomain)
    if (id === undefined) continue
    const lease = { attempts: sql`${outbox.attempts} + 1`, nextAttemptAt: time(leaseMs) }
    const [claimed] = await db.transaction(async (tx) =>
      tx
        .update(outbox)
        .set(lease)
        .where(and(eq(outbox.id, id), due))
        .returning(),
    )
    // If another instance was faster, the next one.
    return claimed ?? claimNext(ctx, busyDomain)
  }
  return undefined
}

/** Finds the email that has been due longest, or one behind those to the busy domain. */
async function findNext(db: Reader, due: SQL | undefined, busyDomain?: string): Promise<number | undefined> {
  const { id, domain, nextAttemptAt } = outbox
  const oldest = await db
    .select({ id, domain })
    .from(outbox)
    .where(due)
    .orderBy(asc(nextAttemptAt), asc(id))
    .limit(window)
  const next = oldest.find((email) => email.domain !== busyDomain)
  if (next || oldest.length < window || busyDomain === undefined) return next?.id
  // A million emails to that domain may come first. The index of domains leads past them.
  for (const others of [gt(domain, busyDomain), lt(domain, busyDomain)]) {
    const [email] = await db
      .select({ id })
      .from(outbox)
      .where(and(due, others))
      .orderBy(asc(domain), asc(nextAttemptAt), asc(id))
      .limit(1)
    if (email) return email.id
  }
  return undefined
}
