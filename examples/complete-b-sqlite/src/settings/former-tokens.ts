import { moment } from './types.ts'

/** Part of the settings of access tokens: those that the service issued while it was one of profile A. */
export const formerTokens = {
  PROFILE_A_TOKENS_UNTIL: moment()
    .optional()
    .describe('Until when access tokens of profile A are accepted (ISO 8601); empty: never'),
}
