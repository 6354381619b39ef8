import type { ExpiredRows } from '../db/batches.ts'
import { expiredEmailTokens } from '../email-tokens/store.ts'
import { expiredUndoTokens } from '../email-tokens/undo-tokens.ts'
import { expiredAttempts } from '../limits/attempts.ts'
import { expiredMails } from '../mail/outbox.ts'
import { expiredSessions } from '../sessions/store.ts'

/** What the clean-up deletes. @param now milliseconds since 1970 */
export const expiredRows = (now: number): ExpiredRows[] => [
  expiredAttempts(now),
  expiredEmailTokens(now),
  expiredUndoTokens(now),
  expiredSessions(now),
  expiredMails(now),
]
