import * as others from './algorithms/index.ts'
import { oneOf, secret, secretList, settings, wholeNumber } from './types.ts'

/** Those of the secret (RFC 7518 section 3.2). An add-on brings others in a file of algorithms/. */
const algorithms = ['HS256', 'HS384', 'HS512', ...Object.values<readonly string[]>(others).flat()]

const named = 'HS256, HS384, HS512, or an algorithm of an add-on'

/** How access tokens are signed. */
export const accessTokens = settings(
  {
    /** Secret that signs the access tokens. The service does not start with the placeholder. */
    secret: ['SECRET_KEY', secret()],
    /** Former values of SECRET_KEY, comma-separated. Tokens signed with them stay valid until they expire. Empty: none. */
    previousSecrets: ['SECRET_KEY_PREVIOUS', secretList().default([])],
    /** Signature algorithm. Tokens with any other algorithm are rejected. */
    algorithm: ['ALGORITHM', oneOf(algorithms, named).default('HS256')],
    /** Lifetime of an access token in minutes. */
    lifetimeMinutes: ['ACCESS_TOKEN_EXPIRE_MINUTES', wholeNumber({ min: 1, max: 1440 }).default(30)],
  },
  ({ lifetimeMinutes, ...tokens }) => ({ ...tokens, lifetimeSeconds: lifetimeMinutes * 60 }),
)
