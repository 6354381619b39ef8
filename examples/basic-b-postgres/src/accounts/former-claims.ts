import type { Config } from '../config.ts'
import { isId } from './claims.ts'

/** What a token of profile A never says. */
const foreignClaims = ['sub', 'iss', 'aud', 'token_type']

/**
 * The claims of an access token that the service issued while it was one of profile A: nobody is logged out by the
 * change. Until the moment in the settings; then the door closes, whether or not somebody remembers it.
 *
 * A token fits either these rules or those of claims.ts (RFC 8725 section 3.12): were a mixture taken, a token that was
 * signed for another audience would get in as one that names none.
 * @param now in milliseconds since 1970
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
