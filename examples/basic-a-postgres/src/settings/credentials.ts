import { z } from 'zod'
import { hashing } from './hashing.ts'
import { flag, wholeNumber } from './types.ts'

/** What a password must be, and how it is hashed. */
export const credentials = z
  .object({
    PASSWORD_MIN_LENGTH: wholeNumber({ min: 8, max: 64 }).default(8).describe('Least number of characters'),
    PASSWORD_COMPOSITION: flag()
      .default(true)
      .describe('Ask for an uppercase letter, a lowercase letter and a digit'),
    BCRYPT_COST: wholeNumber({ min: 10, max: 16 })
      .default(12)
      .describe('Work factor of bcrypt; each step doubles the time'),
    ...hashing,
  })
  .transform((env) => ({
    minLength: env.PASSWORD_MIN_LENGTH,
    composition: env.PASSWORD_COMPOSITION,
    bcryptCost: env.BCRYPT_COST,
    hashConcurrency: env.HASH_CONCURRENCY,
    hashQueue: env.HASH_QUEUE,
  }))
