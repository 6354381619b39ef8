import type { Config } from '../config.ts'
import type { User } from '../users/users.ts'

type Settings = Config['accessTokens']

/** The claims that identify the user. */
export const userClaims = (user: User) => ({ user_id: user.id, username: user.username })

/** The claims that say who issued a token, and for which service: none in this profile. */
export const serviceClaims: (settings: Settings) => Record<string, unknown> = () => ({})

/** A token with an issuer or audience is for another service, which may sign with the same key (RFC 7519 section 4.1.3). */
export const isForService: (payload: Record<string, unknown>, settings: Settings) => boolean = ({
  iss,
  aud,
}) => iss === undefined && aud === undefined

/** Reads these claims from a signed payload. Undefined if one is missing or wrong. */
export const readClaims: (
  payload: Record<string, unknown>,
  settings: Settings,
) => { userId: number; username: string } | undefined = (payload, settings) => {
  const { user_id: userId, username } = payload
  return isId(userId) && typeof username === 'string' && isForService(payload, settings)
    ? { userId, username }
    : undefined
}

/** Whether a claim is a valid user id. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
