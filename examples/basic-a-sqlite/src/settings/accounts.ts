import { z } from 'zod'
import { flag } from './types.ts'

/** Who may register and log in. */
export const accounts = z
  .object({
    REGISTRATION_ENABLED: flag().default(true).describe('false: only the command line creates users'),
  })
  .transform((env) => ({
    registrationEnabled: env.REGISTRATION_ENABLED,
  }))
