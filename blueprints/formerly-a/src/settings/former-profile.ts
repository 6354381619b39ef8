import { moment } from './time.ts'

/** Settings for access tokens of profile A, which the service had before. */
export const formerTokens = {
  /** Time until which access tokens of profile A are accepted. Empty: they are rejected. */
  formerTokensUntil: ['PROFILE_A_TOKENS_UNTIL', moment().optional()],
} as const
