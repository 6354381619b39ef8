import { z } from 'zod'
import { reuseGrace } from './refresh.ts'
import { wholeNumber } from './types.ts'

/** How long a session lives. */
export const sessions = z
  .object({
    REFRESH_TOKEN_EXPIRE_DAYS: wholeNumber({ min: 1, max: 30 })
      .default(7)
      .describe('A session that is not used for so many days is over; after 30 days it is over anyway'),
    ...reuseGrace,
  })
  .transform((env) => ({
    idleSeconds: env.REFRESH_TOKEN_EXPIRE_DAYS * 24 * 60 * 60,
    reuseGraceSeconds: env.REFRESH_TOKEN_REUSE_GRACE_SECONDS,
  }))
