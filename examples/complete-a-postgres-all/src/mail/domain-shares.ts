import pLimit from 'p-limit'
import type { Database } from '../db/database.ts'
import type { QueuedMail } from '../db/schema/outbox.ts'
import { claimMails } from './claim.ts'
import type { OutboxTime } from './outbox.ts'

/** An attempt that takes longer, in milliseconds, leaves its place to another one for its domain. */
const placeMs = 10_000

/** Maximum number of attempts for one domain, whatever they take: a mail server accepts only so many connections. */
const maxPerDomain = 20

interface ClaimsDependencies {
  /** Maximum number of concurrent attempts for one recipient domain, besides those that take long. */
  attemptsPerDomain: number
  db: Database
  now: () => number
  time: OutboxTime
}

interface Claimed {
  mail: QueuedMail
  /** Must be called when the attempt has ended. */
  end: () => void
}

/**
 * Claims mails, but none to a domain with enough attempts: a few mails to a server that stalls would occupy all workers,
 * and an attacker could delay the password resets of everyone else. Attempts that take long do not count: two of them
 * would delay all other mails to their domain.
 * @returns a function that claims the next due mail, or resolves to undefined if there is none
 */
export function createClaims({ attemptsPerDomain, db, now, time }: ClaimsDependencies) {
  /** The current attempts. */
  const current = new Set<{ domain: string; startedAt: number }>()
  let lastDomain = ''
  const oneAtATime = pLimit(1)
  /** The turn that starts next. Calls that wait share it: one transaction claims a mail for each. */
  let next: { calls: number; claimed: Promise<Claimed[]> } | undefined

  /** How many more attempts for this domain may start. */
  function roomFor(domain: string): number {
    const all = [...current].filter((each) => each.domain === domain)
    const recent = all.filter(({ startedAt }) => now() - startedAt < placeMs)
    return Math.min(attemptsPerDomain - recent.length, maxPerDomain - all.length)
  }

  function addTurn() {
    const turn = {
      calls: 0,
      // One at a time, so that all attempts are counted.
      claimed: oneAtATime(async () => {
        next = undefined
        const mails = await claimMails(db, time, { count: turn.calls, roomFor, lastDomain })
        lastDomain = mails.at(-1)?.domain ?? lastDomain
        return mails.map((mail) => {
          const entry = { domain: mail.domain, startedAt: now() }
          current.add(entry)
          return { mail, end: () => void current.delete(entry) }
        })
      }),
    }
    return turn
  }

  return async function claim(): Promise<Claimed | undefined> {
    next ??= addTurn()
    const { claimed } = next
    const place = next.calls++
    const mails = await claimed
    // Fewer mails than calls: the next ones were to full domains, and there may be others behind them.
    return mails[place] ?? (mails.length > 0 ? claim() : undefined)
  }
}
