import { z } from 'zod'
import { oneOf } from './types.ts'

/** The list of common passwords. */
export const commonPasswords = z
  .object({
    PASSWORD_BLOCKLIST: oneOf(['none', 'common'])
      .default('common')
      .describe('common: reject common passwords and those that contain a name of the user'),
  })
  .transform((env) => ({ blocklist: env.PASSWORD_BLOCKLIST }))
