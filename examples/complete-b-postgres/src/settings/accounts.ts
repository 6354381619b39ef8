import { flag, settings } from './types.ts'

/** Who may register and log in. */
export const accounts = settings({
  /** Let everyone register; false: only the command line creates users. */
  registrationEnabled: ['REGISTRATION_ENABLED', flag().default(true)],
  /** Require a username to register; false: who gives none gets one such as user-4k7m2x9q3d, and logs in by email. */
  usernameRequired: ['USERNAME_REQUIRED', flag().default(true)],
  /** Refuse logins of users whose email address is not verified. */
  loginRequiresVerifiedEmail: ['LOGIN_REQUIRES_VERIFIED_EMAIL', flag().default(false)],
})
