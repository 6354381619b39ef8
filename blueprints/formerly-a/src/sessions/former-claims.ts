import type { Config } from '../config.ts'
import { isId } from './claims.ts'

/** Claims that tokens of profile A never have. */
const foreignClaims = ['sub', 'iss', 'aud', 'token_type']

/**
 * Reads the claims of an access token of profile A. They are accepted until PROFILE_A_TOKENS_UNTIL, so that the switch
 * logs no one out.
 *
 * A token must match either these rules or those of claims.ts, never a mixture (RFC 8725 section 3.12). Otherwise a
 * token for another audience could pass as one without an audience.
 * @param now milliseconds since 1970
 */
export function readFormerClaims(
  payload: Record<string, unknown>,
  { formerTokensUntil = 0 }: Config['accessTokens'],
  now: number,
) {
  const { user_id: userId, username } = payload
  if (now >= formerTokensUntil || foreignClaims.some((claim) => claim in payload)) return undefined
  if (!isId(userId) || typeof username !== 'string') return undefined
  return { userId, username }
}
