import { z } from 'zod'
import { flag, wholeNumber } from './types.ts'

const limit = () => wholeNumber({ min: 1, max: 1_000_000 })

/** Limits per client. An IPv6 client counts by its /64, which is what one customer usually gets, and by wider networks. */
export const rateLimits = z
  .object({
    RATE_LIMIT_ENABLED: flag().default(true).describe('false turns all limits off'),
    RATE_LIMIT_AUTH_REQUESTS: limit()
      .default(600)
      .describe('Requests allowed per address and minute to all routes that need no access token, together'),
    RATE_LIMIT_LOGIN_FAILURES: limit()
      .default(5)
      .describe('Failed logins allowed per name and address in 60 seconds'),
    RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS: limit()
      .default(30)
      .describe('Failed logins allowed per address and minute'),
    RATE_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: limit()
      .default(100)
      .describe('Failed logins allowed per name and day, before clients that are not familiar have to wait'),
    RATE_LIMIT_LOGINS: limit().default(600).describe('Successful logins allowed per user, address and hour'),
    RATE_LIMIT_REGISTER: limit().default(60).describe('Registrations allowed per address and minute'),
    RATE_LIMIT_EMAIL_CHANGES: limit()
      .default(10)
      .describe('Attempts to change the email address per user and hour'),
    RATE_LIMIT_TOKEN_FAILURES: limit()
      .default(10)
      .describe('Wrong tokens from mails allowed per address and minute'),
    RATE_LIMIT_REFRESH_FAILURES: limit()
      .default(60)
      .describe('Wrong refresh tokens allowed per address and minute'),
    RATE_LIMIT_MAIL_REQUESTS: limit()
      .default(20)
      .describe('Requests for verification and reset mails allowed per address and minute'),
    RATE_LIMIT_MAIL_INTERVAL_SECONDS: wholeNumber({ min: 0, max: 3600 })
      .default(60)
      .describe('Minimum time between two requested mails of one kind to one address, in seconds; 0: none'),
    RATE_LIMIT_MAILS: limit()
      .default(5)
      .describe('Mails of one kind to one address in the lifetime of their token, or an hour'),
  })
  .transform((env) => ({
    enabled: env.RATE_LIMIT_ENABLED,
    authRequests: env.RATE_LIMIT_AUTH_REQUESTS,
    loginFailures: env.RATE_LIMIT_LOGIN_FAILURES,
    loginFailuresPerAddress: env.RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS,
    loginFailuresPerAccount: env.RATE_LIMIT_LOGIN_FAILURES_PER_ACCOUNT,
    logins: env.RATE_LIMIT_LOGINS,
    register: env.RATE_LIMIT_REGISTER,
    emailChanges: env.RATE_LIMIT_EMAIL_CHANGES,
    tokenFailures: env.RATE_LIMIT_TOKEN_FAILURES,
    refreshFailures: env.RATE_LIMIT_REFRESH_FAILURES,
    mailRequests: env.RATE_LIMIT_MAIL_REQUESTS,
    mailIntervalSeconds: env.RATE_LIMIT_MAIL_INTERVAL_SECONDS,
    mails: env.RATE_LIMIT_MAILS,
  }))
