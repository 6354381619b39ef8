import type { ExpiredRows, Expiry } from '../db/batches.ts'
import { expiredAttempts } from '../limits/attempts.ts'

/** What the clean-up deletes. */
export const expiredRows = ({ now }: Expiry): ExpiredRows[] => [expiredAttempts(now)]
