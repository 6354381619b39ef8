import { z } from 'zod'
import { flag, wholeNumber } from './types.ts'

/** Limits per client address. */
export const rateLimits = z
  .object({
    RATE_LIMIT_ENABLED: flag().default(true).describe('false turns all limits off'),
    RATE_LIMIT_NOTES: wholeNumber({ min: 1, max: 1_000_000 })
      .default(60)
      .describe('New notes per address and minute'),
  })
  .transform((env) => ({ enabled: env.RATE_LIMIT_ENABLED, notes: env.RATE_LIMIT_NOTES }))
