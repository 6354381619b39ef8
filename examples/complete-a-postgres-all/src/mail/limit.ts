import type { Config } from '../config.ts'
import { ApiError } from '../errors/api-error.ts'
import { takeAttempt } from '../limits/attempts.ts'
import { type MailLimit, waysBack } from './outbox.ts'

type EventLog = Record<'info', (entry: object, message: string) => void>

/**
 * Limits mails per recipient and template, so that no one can flood a mailbox. The window is the lifetime of the token:
 * otherwise a stranger could use the limit up, and the owner would be without a valid token until it ends.
 */
export const createMailLimit =
  ({ enabled, mails }: Config['rateLimits'], now: () => number, log: EventLog): MailLimit =>
  async (tx, { isRequired, max, to, template, tokenSeconds = 60 * 60, userId }) => {
    if (!enabled || waysBack.includes(template)) return true
    const kind = `mail ${template}`
    const limit = { kind, max: max ?? mails, windowMs: tokenSeconds * 1000 }
    const { refusedFor } = await takeAttempt(tx, limit, { account: to }, now())
    if (refusedFor === undefined) return true
    const name = max === undefined ? 'RATE_LIMIT_MAILS' : kind
    if (isRequired)
      throw new ApiError('too_many_requests', { retryAfter: refusedFor, log: { userId, limit: name } })
    log.info({ event: 'mail.limited', userId, limit: name, template }, 'mail limited')
    return false
  }
