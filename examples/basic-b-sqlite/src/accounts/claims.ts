import type { Config } from '../config.ts'
import type { User } from '../db/schema/users.ts'

/** Whom an access token speaks for, who issued it, and whom it is for (RFC 7519 section 4.1). */
export const userClaims = (user: User, settings: Config['accessTokens']) => ({
  sub: user.username,
  user_id: user.id,
  iss: settings.issuer,
  aud: settings.audience,
  token_type: 'access',
})

/**
 * The same, out of a signed payload; undefined where a claim is missing or wrong. A token for another audience, or of
 * another kind, may carry a valid signature of the same key: whoever got it there must not get in here.
 */
export function readClaims(payload: Record<string, unknown>, settings: Config['accessTokens']) {
  const { sub, user_id: userId, iss, aud, token_type: tokenType } = payload
  if (iss !== settings.issuer || aud !== settings.audience || tokenType !== 'access') return undefined
  if (!isId(userId) || typeof sub !== 'string') return undefined
  return { userId, username: sub }
}

/** Whether a claim can be the id of a user. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
