import type { ExpiredRows } from '../db/batches.ts'
import { refreshTokens } from '../db/schema/refresh-tokens.ts'
import { verificationCodes } from '../db/schema/verification-codes.ts'

/** Expired mailed codes and sessions. */
export const expiredTokens = (now: number): ExpiredRows[] => {
  const before = new Date(now)
  return [
    { table: verificationCodes, key: verificationCodes.id, time: verificationCodes.expiresAt, before },
    { table: refreshTokens, key: refreshTokens.id, time: refreshTokens.expiresAt, byKey: true, before },
  ]
}
