import { z } from 'zod'
import { hashing } from './hashing.ts'
import { wholeNumber } from './types.ts'

/** What a password must be, and how it is hashed. The lower bounds are OWASP's least argon2id: 19 MiB, t = 2, p = 1. */
export const credentials = z
  .object({
    PASSWORD_MIN_LENGTH: wholeNumber({ min: 8, max: 64 }).default(8).describe('Least number of characters'),
    ARGON2_MEMORY_KIB: wholeNumber({ min: 19_456, max: 1_048_576 })
      .default(65_536)
      .describe('Memory of one hash, in KiB'),
    ARGON2_TIME_COST: wholeNumber({ min: 2, max: 16 }).default(3).describe('Passes over that memory'),
    ARGON2_PARALLELISM: wholeNumber({ min: 1, max: 16 }).default(1).describe('Threads of one hash'),
    ...hashing,
  })
  .transform((env) => ({
    minLength: env.PASSWORD_MIN_LENGTH,
    argon2: {
      memoryCost: env.ARGON2_MEMORY_KIB,
      timeCost: env.ARGON2_TIME_COST,
      parallelism: env.ARGON2_PARALLELISM,
    },
    hashConcurrency: env.HASH_CONCURRENCY,
    hashQueue: env.HASH_QUEUE,
  }))
