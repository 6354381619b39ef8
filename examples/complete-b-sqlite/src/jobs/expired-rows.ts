import type { Config } from '../config.ts'
import type { ExpiredRows } from '../db/batches.ts'
import { expiredEmailTokens } from '../email-tokens/store.ts'
import { expiredUndoTokens } from '../email-tokens/undo-tokens.ts'
import { expiredAttempts } from '../limits/attempts.ts'
import { expiredMails } from '../mail/outbox.ts'
import { expiredSessions } from '../sessions/store.ts'
import { expiredRegistrations } from '../users/registrations.ts'

const dayMs = 24 * 60 * 60_000

/** What the clean-up deletes. @param now milliseconds since 1970 */
export const expiredRows = ({ mail }: Config, now: number): ExpiredRows[] => [
  expiredAttempts(now),
  expiredEmailTokens(now),
  expiredUndoTokens(now),
  expiredSessions(now),
  expiredMails(now),
  ...(mail.unverifiedUserDays > 0 ? [expiredRegistrations(now - mail.unverifiedUserDays * dayMs)] : []),
]
