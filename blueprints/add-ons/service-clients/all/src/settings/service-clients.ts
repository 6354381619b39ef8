import { settings, wholeNumber } from './types.ts'

/** Programs that get access tokens without a user. */
export const serviceClients = settings({
  /** Hours that the old secret of a client works after a rotation; 0: not at all. */
  overlapHours: ['CLIENT_SECRET_OVERLAP_HOURS', wholeNumber({ min: 0, max: 720 }).default(24)],
  /** Access tokens per service client and minute. */
  tokens: ['RATE_LIMIT_CLIENT_TOKENS', wholeNumber({ min: 1, max: 1_000_000 }).default(60)],
  /** Wrong secrets per service client, client address and minute. */
  failures: ['RATE_LIMIT_CLIENT_FAILURES', wholeNumber({ min: 1, max: 1_000_000 }).default(30)],
})
