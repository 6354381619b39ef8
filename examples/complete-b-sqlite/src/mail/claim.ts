import { and, asc, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Database, Reader } from '../db/database.ts'
import { skipLocked } from '../db/queries.ts'
import { outbox, type QueuedMail } from '../db/schema/outbox.ts'
import { type OutboxTime, priorities } from './outbox.ts'

/** How many due mails of a priority are read to find one that is not to a full domain. */
const window = 100

/** How many of them a claim tries to lease. */
const candidates = 10

export interface Claim {
  /** How long no other call claims the mail, in milliseconds. */
  leaseMs: number
  /** Mails to these domains are left to later calls. */
  fullDomains: string[]
  /** The domain of the last claimed mail. Behind a long run of mails to full domains, the domains after it are next. */
  lastDomain: string
}

/**
 * Claims the next due mail: until the lease ends, no other call claims it. Resets go before verifications, those before
 * all other mails; within each, the mail that has been due longest.
 */
export async function claimMail(
  db: Database,
  time: OutboxTime,
  claim: Claim,
): Promise<QueuedMail | undefined> {
  const { id, priority, sentAt, failedAt, nextAttemptAt } = outbox
  const due = and(isNull(sentAt), isNull(failedAt), lte(nextAttemptAt, time(0)))
  for (const each of priorities) {
    const ids = await findDue(db.read, and(eq(priority, each), due), claim)
    // Usually no mail is due: avoid starting a transaction.
    const mail = ids.length > 0 ? await lease(db, and(inArray(id, ids), due), time(claim.leaseMs)) : undefined
    if (mail) return mail
  }
  return undefined
}

/** Finds the next mails to claim, in their order. Several, because other processes may claim some of them first. */
async function findDue(
  db: Reader,
  due: SQL | undefined,
  { fullDomains, lastDomain }: Claim,
): Promise<number[]> {
  const { id, domain, nextAttemptAt } = outbox
  const free = (mails: { id: number; domain: string }[]) =>
    mails
      .filter((mail) => !fullDomains.includes(mail.domain))
      .map((mail) => mail.id)
      .slice(0, candidates)

  const oldest = await db
    .select({ id, domain })
    .from(outbox)
    .where(due)
    .orderBy(asc(nextAttemptAt), asc(id))
    .limit(window)
  if (oldest.length < window || free(oldest).length > 0) return free(oldest)
  // A million mails to full domains may be next. Go from domain to domain, because reading all of them takes too long.
  for (const start of [lastDomain, '']) {
    for (let last: string | undefined = start; last !== undefined; ) {
      const next = await db
        .select({ id, domain })
        .from(outbox)
        .where(and(due, gt(domain, last)))
        .orderBy(asc(domain), asc(nextAttemptAt), asc(id))
        .limit(candidates)
      if (free(next).length > 0) return free(next)
      last = next.at(-1)?.domain
    }
  }
  return []
}

/** Leases the first of these mails that no other process is claiming. */
const lease = (db: Database, due: SQL | undefined, until: Date | SQL): Promise<QueuedMail | undefined> =>
  db.transaction(async (tx) => {
    const { id, attempts, nextAttemptAt } = outbox
    const [next] = await skipLocked(
      tx.select({ id }).from(outbox).where(due).orderBy(asc(nextAttemptAt), asc(id)).limit(1),
    )
    if (!next) return undefined
    const [mail] = await tx
      .update(outbox)
      .set({ attempts: sql`${attempts} + 1`, nextAttemptAt: until })
      .where(eq(id, next.id))
      .returning()
    return mail
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
