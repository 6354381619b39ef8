import { z } from 'zod'
import { flag } from './types.ts'

/** Who may register and log in. */
export const accounts = z
  .object({
    REGISTRATION_ENABLED: flag().default(true).describe('false: only the command line creates users'),
    LOGIN_REQUIRES_VERIFIED_EMAIL: flag()
      .default(false)
      .describe('true: users whose email address is not verified cannot log in'),
  })
  .transform((env) => ({
    registrationEnabled: env.REGISTRATION_ENABLED,
    loginRequiresVerifiedEmail: env.LOGIN_REQUIRES_VERIFIED_EMAIL,
  }))
