import { z } from 'zod'
import { wholeNumber } from './types.ts'

/** Lifetime of sessions. */
export const sessions = z
  .object({
    REFRESH_TOKEN_EXPIRE_DAYS: wholeNumber({ min: 1, max: 30 })
      .default(7)
      .describe('An unused session ends after this many days; every session ends after 30 days'),
    REFRESH_TOKEN_REUSE_GRACE_SECONDS: wholeNumber({ min: 0, max: 60 })
      .default(10)
      .describe('How long a replaced refresh token still returns the same new token, in seconds; 0: never'),
  })
  .transform((env) => ({
    idleSeconds: env.REFRESH_TOKEN_EXPIRE_DAYS * 24 * 60 * 60,
    reuseGraceSeconds: env.REFRESH_TOKEN_REUSE_GRACE_SECONDS,
  }))
