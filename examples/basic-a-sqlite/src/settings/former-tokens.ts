import { z } from 'zod'
import { moment } from './types.ts'

/** Part of the settings of access tokens: those that the service issued while it was one of profile B. */
export const formerTokens = {
  PROFILE_B_TOKENS_UNTIL: moment()
    .optional()
    .describe('Until when access tokens of profile B are accepted (ISO 8601); empty: never'),
  JWT_ISSUER: z.string().default('my-api').describe('Claim iss of the access tokens of profile B'),
  JWT_AUDIENCE: z.string().default('my-api').describe('Claim aud of the access tokens of profile B'),
}
