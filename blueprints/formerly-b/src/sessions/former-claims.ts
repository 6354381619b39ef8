import type { Config } from '../config.ts'
import { isId } from './claims.ts'

/**
 * Reads the claims of an access token of profile B. They are accepted until PROFILE_B_TOKENS_UNTIL, so that the switch
 * logs no one out.
 *
 * A token must match either these rules or those of claims.ts, never a mixture (RFC 8725 section 3.12). Otherwise a
 * token for another audience could pass as one without an audience.
 * @param now milliseconds since 1970
 */
export function readFormerClaims(
  payload: Record<string, unknown>,
  { formerTokensUntil = 0, formerIssuer, formerAudience }: Config['accessTokens'],
  now: number,
) {
  const { sub, user_id: userId, iss, aud, token_type: tokenType } = payload
  if (now >= formerTokensUntil || 'username' in payload) return undefined
  if (iss !== formerIssuer || aud !== formerAudience || tokenType !== 'access') return undefined
  if (!isId(userId) || typeof sub !== 'string') return undefined
  return { userId, username: sub }
}
