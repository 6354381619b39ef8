import type { ExpiredRows, Expiry } from '../db/batches.ts'
import { expiredUndoTokens } from '../email-tokens/undo-tokens.ts'
import { expiredAttempts } from '../limits/attempts.ts'
import { expiredMails } from '../mail/outbox.ts'
import { expiredEmailChanges } from '../users/pending-email.ts'
import { expiredRegistrations } from '../users/registrations.ts'
import { expiredTokens } from './expired-tokens.ts'

const dayMs = 24 * 60 * 60_000

/** What the clean-up deletes. */
export const expiredRows = ({ config: { email }, now }: Expiry): ExpiredRows[] => [
  expiredAttempts(now),
  ...expiredTokens(now),
  expiredEmailChanges(now),
  expiredUndoTokens(now),
  expiredMails(now),
  ...(email.unverifiedUserDays > 0 ? [expiredRegistrations(now - email.unverifiedUserDays * dayMs)] : []),
]
