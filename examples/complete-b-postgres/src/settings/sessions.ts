import { settings, wholeNumber } from './types.ts'

/** Lifetime of sessions. */
export const sessions = settings({
  /** An unused session ends after this many seconds. */
  idleSeconds: ['JWT_REFRESH_TOKEN_EXPIRATION', wholeNumber({ min: 1, max: 31_536_000 }).default(86_400)],
  /** Every session ends this many days after its login. */
  maxDays: ['SESSION_MAX_DAYS', wholeNumber({ min: 1, max: 365 }).default(30)],
  /** How long a replaced refresh token still returns the same new token, in seconds; 0: never. */
  reuseGraceSeconds: ['REFRESH_TOKEN_REUSE_GRACE_SECONDS', wholeNumber({ min: 0, max: 60 }).default(10)],
})
