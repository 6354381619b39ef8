import type { ExpiredRows } from '../db/batches.ts'
import { tokens } from '../db/schema/tokens.ts'

/** Expired sessions and mailed tokens, together: to find those of one kind, a batch would read all of the other. */
export const expiredTokens = (now: number): ExpiredRows[] => [
  { table: tokens, key: tokens.id, time: tokens.expiresAt, before: new Date(now) },
]
