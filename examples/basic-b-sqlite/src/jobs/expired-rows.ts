import type { Config } from '../config.ts'
import type { ExpiredRows } from '../db/batches.ts'
import { expiredAttempts } from '../limits/attempts.ts'

/** What the clean-up deletes. @param now milliseconds since 1970 */
export const expiredRows = (_config: Config, now: number): ExpiredRows[] => [expiredAttempts(now)]
