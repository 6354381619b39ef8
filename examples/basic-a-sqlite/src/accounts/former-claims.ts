import type { Config } from '../config.ts'
import { isId } from './claims.ts'

/**
 * The claims of an access token that the service issued while it was one of profile B: nobody is logged out by the
 * change. Until the moment in the settings; then the door closes, whether or not somebody remembers it.
 *
 * A token fits either these rules or those of claims.ts (RFC 8725 section 3.12): were a mixture taken, a token that was
 * signed for another audience would get in as one that names none.
 * @param now in milliseconds since 1970
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
