import { z } from 'zod'
import { reuseGrace } from './refresh.ts'
import { wholeNumber } from './types.ts'

/** How long a session lives. */
export const sessions = z
  .object({
    JWT_REFRESH_TOKEN_EXPIRATION: wholeNumber({ min: 1, max: 2_592_000 })
      .default(86_400)
      .describe('A session that is not used for so many seconds is over; after 30 days it is over anyway'),
    ...reuseGrace,
  })
  .transform((env) => ({
    idleSeconds: env.JWT_REFRESH_TOKEN_EXPIRATION,
    reuseGraceSeconds: env.REFRESH_TOKEN_REUSE_GRACE_SECONDS,
  }))
