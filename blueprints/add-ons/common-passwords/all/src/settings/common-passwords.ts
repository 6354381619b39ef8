import { oneOf, settings } from './types.ts'

/** The list of common passwords. */
export const commonPasswords = settings({
  /** common: refuse common passwords, and those that contain a name of the user or of the service. */
  blocklist: ['PASSWORD_BLOCKLIST', oneOf(['none', 'common']).default('common')],
})
