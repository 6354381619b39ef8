import { z } from 'zod'
import { flag, wholeNumber } from './types.ts'

const limit = () => wholeNumber({ min: 1, max: 1_000_000 })

/** Limits per client. An IPv6 client counts by its /64, which is what one customer usually gets, and by wider networks. */
export const rateLimits = z
  .object({
    RATE_LIMIT_ENABLED: flag().default(true).describe('false turns all limits off'),
    RATE_LIMIT_LOGIN_FAILURES: limit()
      .default(5)
      .describe('Failed logins allowed per name and address in 60 seconds'),
    RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS: limit()
      .default(30)
      .describe('Failed logins allowed per address and minute'),
    RATE_LIMIT_REGISTER: limit().default(60).describe('Registrations allowed per address and minute'),
    RATE_LIMIT_TOKEN_FAILURES: limit()
      .default(10)
      .describe('Wrong verification and reset tokens allowed per address and minute'),
    RATE_LIMIT_REFRESH_FAILURES: limit()
      .default(60)
      .describe('Wrong refresh tokens allowed per address and minute'),
    RATE_LIMIT_MAIL_INTERVAL_SECONDS: wholeNumber({ min: 0, max: 3600 })
      .default(60)
      .describe('Minimum time between two requested mails of one kind to one address, in seconds; 0: none'),
    RATE_LIMIT_MAIL_PER_HOUR: limit()
      .default(5)
      .describe('Requested mails of one kind to one address per hour'),
  })
  .transform((env) => ({
    enabled: env.RATE_LIMIT_ENABLED,
    loginFailures: env.RATE_LIMIT_LOGIN_FAILURES,
    loginFailuresPerAddress: env.RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS,
    register: env.RATE_LIMIT_REGISTER,
    tokenFailures: env.RATE_LIMIT_TOKEN_FAILURES,
    refreshFailures: env.RATE_LIMIT_REFRESH_FAILURES,
    mailIntervalSeconds: env.RATE_LIMIT_MAIL_INTERVAL_SECONDS,
    mailPerHour: env.RATE_LIMIT_MAIL_PER_HOUR,
  }))
