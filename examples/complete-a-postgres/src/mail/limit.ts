import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { forgetAttempts, takeAttempt } from '../limits/attempts.ts'
import type { MailLimit } from './outbox.ts'

type EventLog = Record<'info', (entry: object, message: string) => void>

const kindOf = (template: string) => `mail ${template}`

/**
 * Limits mails per recipient and template, so that no one can flood a mailbox. The window is the lifetime of the token:
 * otherwise a stranger could use the limit up, and the owner would be without a valid token until it ends.
 */
export const createMailLimit =
  ({ enabled, mails }: Config['rateLimits'], now: () => number, log: EventLog): MailLimit =>
  async (tx, { max, to, template, tokenSeconds = 60 * 60, userId }) => {
    if (!enabled) return true
    const kind = kindOf(template)
    const limit = { kind, max: max ?? mails, windowMs: tokenSeconds * 1000 }
    const { refusedFor } = await takeAttempt(tx, limit, { account: to }, now())
    if (refusedFor === undefined) return true
    const name = max === undefined ? 'RATE_LIMIT_MAILS' : kind
    log.info({ event: 'mail.limited', userId, limit: name, template }, 'mail limited')
    return false
  }

/** Forgets the mails that this recipient has had with this template. */
export const forgetMails = (tx: Transaction, template: string, to: string): Promise<void> =>
  forgetAttempts(tx, kindOf(template), [to])
