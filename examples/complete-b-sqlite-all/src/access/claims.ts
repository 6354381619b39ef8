import type { Config } from '../config.ts'
import type { User } from '../users/users.ts'

/** The claims that identify the user, the issuer and the audience (RFC 7519 section 4.1). */
export const userClaims = (user: User, settings: Config['accessTokens']) => ({
  sub: user.username,
  user_id: user.id,
  iss: settings.issuer,
  aud: settings.audience,
  token_type: 'access',
})

/**
 * Reads these claims from a signed payload. Undefined if one is missing or wrong. A token for another audience or of
 * another kind may be signed with the same key and must be rejected.
 */
export function readClaims(payload: Record<string, unknown>, settings: Config['accessTokens']) {
  const { sub, user_id: userId, iss, aud, token_type: tokenType } = payload
  if (iss !== settings.issuer || aud !== settings.audience || tokenType !== 'access') return undefined
  if (!isId(userId) || typeof sub !== 'string') return undefined
  return { userId, username: sub }
}

/** Whether a claim is a valid user id. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
