import { z } from 'zod'
import { wholeNumber } from './types.ts'

/** Lifetime of sessions. */
export const sessions = z
  .object({
    JWT_REFRESH_TOKEN_EXPIRATION: wholeNumber({ min: 1, max: 2_592_000 })
      .default(86_400)
      .describe('An unused session ends after this many seconds; every session ends after 30 days'),
    REFRESH_TOKEN_REUSE_GRACE_SECONDS: wholeNumber({ min: 0, max: 60 })
      .default(10)
      .describe('How long a replaced refresh token still returns the same new token, in seconds; 0: never'),
  })
  .transform((env) => ({
    idleSeconds: env.JWT_REFRESH_TOKEN_EXPIRATION,
    reuseGraceSeconds: env.REFRESH_TOKEN_REUSE_GRACE_SECONDS,
  }))
