import { z } from 'zod'
import { oneOf, secret, secretList, wholeNumber } from './types.ts'

/** How access tokens are signed. */
export const accessTokens = z
  .object({
    SECRET_KEY: secret().describe('Secret that signs the access tokens; at least 32 random bytes'),
    SECRET_KEY_PREVIOUS: secretList()
      .default([])
      .describe(
        'Former values of SECRET_KEY, comma-separated; tokens signed with them stay valid until they expire',
      ),
    ALGORITHM: oneOf(['HS256', 'HS384', 'HS512'])
      .default('HS256')
      .describe('Signature algorithm; tokens with any other algorithm are rejected'),
    ACCESS_TOKEN_EXPIRE_MINUTES: wholeNumber({ min: 1, max: 1440 })
      .default(30)
      .describe('Lifetime of an access token, in minutes'),
  })
  .transform((env) => ({
    secret: env.SECRET_KEY,
    previousSecrets: env.SECRET_KEY_PREVIOUS,
    algorithm: env.ALGORITHM,
    lifetimeSeconds: env.ACCESS_TOKEN_EXPIRE_MINUTES * 60,
  }))
