import { z } from 'zod'
import * as others from './algorithms/index.ts'
import { oneOf, secret, secretList, settings, wholeNumber } from './types.ts'

/** Those of the secret (RFC 7518 section 3.2). An add-on brings others in a file of algorithms/. */
const algorithms = ['HS256', 'HS384', 'HS512', ...Object.values<readonly string[]>(others).flat()]

const named = 'HS256, HS384, HS512, or an algorithm of an add-on'

/** How access tokens are signed. */
export const accessTokens = settings({
  /** Secret that signs the access tokens. The service does not start with the placeholder. */
  secret: ['JWT_SECRET_KEY', secret()],
  /** Former values of JWT_SECRET_KEY, comma-separated. Tokens signed with them stay valid until they expire. Empty: none. */
  previousSecrets: ['JWT_SECRET_KEY_PREVIOUS', secretList().default([])],
  /** Signature algorithm. Tokens with any other algorithm are rejected. */
  algorithm: ['JWT_ALGORITHM', oneOf(algorithms, named).default('HS256')],
  /** Lifetime of an access token in seconds. */
  lifetimeSeconds: ['JWT_ACCESS_TOKEN_EXPIRATION', wholeNumber({ min: 1, max: 86_400 }).default(1800)],
  /** Claim iss: the issuer of the tokens. */
  issuer: ['JWT_ISSUER', z.string().default('my-api')],
  /** Claim aud: the audience of the tokens. */
  audience: ['JWT_AUDIENCE', z.string().default('my-api')],
})
