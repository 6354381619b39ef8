import { flag, settings, wholeNumber } from './types.ts'

const limit = () => wholeNumber({ min: 1, max: 1_000_000 })

/** Limits per client. An IPv6 client counts by its /64, which is what one customer usually gets, and by wider networks. */
export const rateLimits = settings({
  /** Apply rate limits; false turns all of them off. */
  enabled: ['RATE_LIMIT_ENABLED', flag().default(true)],
  /** Requests per client address and minute to all POST routes that need no access token, together. */
  authRequests: ['RATE_LIMIT_AUTH_REQUESTS', limit().default(600)],
  /** Failed logins and wrong current passwords per name, client address and minute. */
  loginFailures: ['RATE_LIMIT_LOGIN_FAILURES', limit().default(5)],
  /** Failed logins and wrong current passwords per client address and minute, for all names. */
  loginFailuresPerAddress: ['RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS', limit().default(30)],
  /** Failed logins per name and day. Beyond it, clients that did not log in for 30 days share one a minute. */
  loginFailuresPerAccount: ['RATE_LIMIT_LOGIN_FAILURES_PER_ACCOUNT', limit().default(100)],
  /** Successful logins per user, client address and hour. */
  logins: ['RATE_LIMIT_LOGINS', limit().default(600)],
  /** Registrations per client address and minute. */
  register: ['RATE_LIMIT_REGISTER', limit().default(60)],
  /** Attempts to change the email address per user and hour, whatever the outcome. */
  emailChanges: ['RATE_LIMIT_EMAIL_CHANGES', limit().default(10)],
})
