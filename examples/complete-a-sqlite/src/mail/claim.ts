import { and, asc, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Database, Reader } from '../db/database.ts'
import { skipLocked } from '../db/queries.ts'
import { outbox, type QueuedMail } from '../db/schema/outbox.ts'
import { type OutboxTime, priorities } from './outbox.ts'

/** Lease of a claimed mail, in milliseconds. An attempt renews it, so that after a crash the next one need not wait. */
export const leaseMs = 60_000

/** How many due mails of each priority are read to find some that are not to full domains. */
const window = 30

/** How many of them a claim tries to lease. */
const candidates = 10

export interface Claim {
  /** How many mails to claim. */
  count: number
  /** How many mails to a domain to claim. If none, its mails are left to later calls. */
  roomFor: (domain: string) => number
  /** The domain of the last claimed mail. Behind a long run of mails to full domains, the domains after it are next. */
  lastDomain: string
}

/**
 * Claims the next due mails: until the lease ends, no other call claims them. Resets go before verifications, those before
 * all other mails; within each, the mail that has been due longest.
 * @returns some mails, if there are any that no other process is claiming
 */
export async function claimMails(db: Database, time: OutboxTime, claim: Claim): Promise<QueuedMail[]> {
  const { id } = outbox
  const due = isDue(time)
  const ids = await findDue(db.read, due, claim)
  // Usually no mail is due: avoid starting a transaction.
  return ids.length > 0 ? lease(db, and(inArray(id, ids), due), time(leaseMs), claim) : []
}

/** Mails to send now. */
export const isDue = (time: OutboxTime): SQL | undefined =>
  and(isNull(outbox.sentAt), isNull(outbox.failedAt), lte(outbox.nextAttemptAt, time(0)))

/** Finds the next mails to claim, in their order. Several, because other processes may claim some of them first. */
async function findDue(db: Reader, due: SQL | undefined, claim: Claim): Promise<number[]> {
  const { id, domain, priority, nextAttemptAt } = outbox
  const oldest = (each: number) => {
    const mails = db
      .select({ id, domain, priority })
      .from(outbox)
      .where(and(eq(priority, each), due))
      .orderBy(asc(nextAttemptAt), asc(id))
      .limit(window)
    return db.select().from(mails.as('mails'))
  }
  const [first, second, third] = priorities
  const next = await oldest(first).unionAll(oldest(second)).unionAll(oldest(third))
  const found: number[] = []
  for (const each of priorities) {
    const mails = next.filter((mail) => mail.priority === each)
    const free = mails.filter((mail) => claim.roomFor(mail.domain) > 0).map((mail) => mail.id)
    const areHidden = free.length === 0 && mails.length === window
    found.push(...(areHidden ? await findByDomain(db, and(eq(priority, each), due), claim) : free))
    if (found.length >= candidates) break
  }
  return found.slice(0, candidates)
}

/** Goes from domain to domain: a million mails to full domains may be next, and reading all of them takes too long. */
async function findByDomain(
  db: Reader,
  due: SQL | undefined,
  { roomFor, lastDomain }: Claim,
): Promise<number[]> {
  const { id, domain, nextAttemptAt } = outbox
  for (const start of [lastDomain, '']) {
    for (let last: string | undefined = start; last !== undefined; ) {
      const mails = await db
        .select({ id, domain })
        .from(outbox)
        .where(and(due, gt(domain, last)))
        .orderBy(asc(domain), asc(nextAttemptAt), asc(id))
        .limit(candidates)
      const free = mails.filter((mail) => roomFor(mail.domain) > 0)
      if (free.length > 0) return free.map((mail) => mail.id)
      last = mails.at(-1)?.domain
    }
  }
  return []
}

/** Leases the first of these mails that no other process is claiming, and that their domains have room for. */
const lease = (db: Database, due: SQL | undefined, until: Date | SQL, { count, roomFor }: Claim) =>
  db.transaction(async (tx) => {
    const { id, domain, priority, attempts, nextAttemptAt } = outbox
    // Not the column itself: PostgreSQL would look for the ids in the index of all due mails, from its beginning.
    const order = sql`${priority} + 0`
    const next = await skipLocked(
      tx
        .select({ id, domain })
        .from(outbox)
        .where(due)
        .orderBy(order, asc(nextAttemptAt), asc(id))
        .limit(count),
    )
    if (next.length === 0) return []
    const isInRoom = (mail: { domain: string }, index: number) =>
      next.slice(0, index).filter((each) => each.domain === mail.domain).length < roomFor(mail.domain)
    const ids = next.filter(isInRoom).map((mail) => mail.id)
    return tx
      .update(outbox)
      .set({ attempts: sql`${attempts} + 1`, nextAttemptAt: until })
      .where(inArray(id, ids))
      .returning()
  })

interface Outcome extends Partial<Pick<QueuedMail, 'sentAt' | 'failedAt' | 'sealedVariables'>> {
  nextAttemptAt?: Date | SQL
}

/** Records the outcome of an attempt, unless its lease has expired and another attempt has started. */
export const recordAttempt = (db: Database, { id, attempts }: QueuedMail, outcome: Outcome): Promise<void> =>
  db.transaction(async (tx) => {
    await tx
      .update(outbox)
      .set(outcome)
      .where(and(eq(outbox.id, id), eq(outbox.attempts, attempts), isNull(outbox.sentAt)))
  })
