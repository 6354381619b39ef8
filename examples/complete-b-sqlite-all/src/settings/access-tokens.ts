import { z } from 'zod'
import { oneOf, secret, secretList, wholeNumber } from './types.ts'

/** How access tokens are signed. */
export const accessTokens = z
  .object({
    JWT_SECRET_KEY: secret().describe('Secret that signs the access tokens; at least 32 random bytes'),
    JWT_SECRET_KEY_PREVIOUS: secretList()
      .default([])
      .describe(
        'Former values of JWT_SECRET_KEY, comma-separated; tokens signed with them stay valid until they expire',
      ),
    JWT_ALGORITHM: oneOf(['HS256', 'HS384', 'HS512'])
      .default('HS256')
      .describe('Signature algorithm; tokens with any other algorithm are rejected'),
    JWT_ACCESS_TOKEN_EXPIRATION: wholeNumber({ min: 1, max: 86_400 })
      .default(1800)
      .describe('Lifetime of an access token, in seconds'),
    JWT_ISSUER: z.string().default('my-api').describe('Claim iss: the issuer of the tokens'),
    JWT_AUDIENCE: z.string().default('my-api').describe('Claim aud: the audience of the tokens'),
  })
  .transform((env) => ({
    secret: env.JWT_SECRET_KEY,
    previousSecrets: env.JWT_SECRET_KEY_PREVIOUS,
    algorithm: env.JWT_ALGORITHM,
    lifetimeSeconds: env.JWT_ACCESS_TOKEN_EXPIRATION,
    issuer: env.JWT_ISSUER,
    audience: env.JWT_AUDIENCE,
  }))
