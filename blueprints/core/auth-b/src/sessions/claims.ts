import type { Config } from '../config.ts'
import type { User } from '../users/users.ts'

type Settings = Config['accessTokens']

/** The claims that identify the user (RFC 7519 section 4.1). */
export const userClaims = (user: User) => ({ sub: user.username, user_id: user.id })

/** The claims that say who issued a token, for which service, and of which kind it is. */
export const serviceClaims = ({ issuer, audience }: Settings) => ({
  iss: issuer,
  aud: audience,
  token_type: 'access',
})

/** Whether it has these claims. One for another service, or of another kind, may be signed with the same key. */
export const isForService = (payload: Record<string, unknown>, { issuer, audience }: Settings): boolean =>
  payload.iss === issuer && payload.aud === audience && payload.token_type === 'access'

/** Reads all these claims from a signed payload. Undefined if one is missing or wrong. */
export function readClaims(payload: Record<string, unknown>, settings: Settings) {
  const { sub, user_id: userId } = payload
  if (!isForService(payload, settings) || !isId(userId) || typeof sub !== 'string') return undefined
  return { userId, username: sub }
}

/** Whether a claim is a valid user id. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
