import type { Config } from '../config.ts'
import type { User } from '../db/schema/users.ts'

/** Whom an access token speaks for: the claims user_id and username. */
export const userClaims = (user: User, _settings: Config['accessTokens']) => ({
  user_id: user.id,
  username: user.username,
})

/** The same, out of a signed payload; undefined where a claim is missing or wrong. */
export function readClaims(payload: Record<string, unknown>, _settings: Config['accessTokens']) {
  const { user_id: userId, username } = payload
  if (!isId(userId) || typeof username !== 'string') return undefined
  return { userId, username }
}

/** Whether a claim can be the id of a user. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
