import type { Config } from '../config.ts'
import type { User } from '../users/users.ts'

type Settings = Config['accessTokens']

/** The claims that identify the user. No setting changes them. */
export const userClaims: (user: User, settings: Settings) => Record<string, unknown> = (user) => ({
  user_id: user.id,
  username: user.username,
})

/**
 * Reads these claims from a signed payload. Undefined if one is missing or wrong. A token with an issuer or audience is
 * for another service, which may sign with the same key (RFC 7519 section 4.1.3).
 */
export const readClaims: (
  payload: Record<string, unknown>,
  settings: Settings,
) => { userId: number; username: string } | undefined = ({ user_id: userId, username, iss, aud }) =>
  isId(userId) && typeof username === 'string' && iss === undefined && aud === undefined
    ? { userId, username }
    : undefined

/** Whether a claim is a valid user id. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
