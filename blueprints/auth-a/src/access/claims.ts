import type { Config } from '../config.ts'
import type { User } from '../users/users.ts'

type Settings = Config['accessTokens']

/** The claims that identify the user. No setting changes them. */
export const userClaims: (user: User, settings: Settings) => Record<string, unknown> = (user) => ({
  user_id: user.id,
  username: user.username,
})

/** Reads these claims from a signed payload. Undefined if one is missing or wrong. */
export const readClaims: (
  payload: Record<string, unknown>,
  settings: Settings,
) => { userId: number; username: string } | undefined = ({ user_id: userId, username }) =>
  isId(userId) && typeof username === 'string' ? { userId, username } : undefined

/** Whether a claim is a valid user id. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
