import { moment } from './time.ts'

/** Settings for access tokens of profile A, which the service had before. */
export const formerTokens = {
  PROFILE_A_TOKENS_UNTIL: moment()
    .optional()
    .describe('Access tokens of profile A are accepted until this time (ISO 8601); empty: they are rejected'),
}
