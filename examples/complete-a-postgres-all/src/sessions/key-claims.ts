import type { Config } from '../config.ts'
import type { User } from '../users/users.ts'
import { isId, serviceClaims, userClaims } from './claims.ts'

type Payload = Readonly<Record<string, unknown>>
type Settings = Pick<Config, 'accessTokens' | 'jwks'>

/** The claims that say who issued a token that a key signs, and for which services. */
export const keyServiceClaims = ({ accessTokens, jwks: { issuer, audiences } }: Settings): Payload => ({
  ...serviceClaims(accessTokens),
  iss: issuer,
  aud: audiences.length > 1 ? audiences : audiences[0],
})

/** Keys sign tokens for several services: one that is not for this service must be rejected (RFC 9068 section 4). */
export const isForThisService = ({ iss, aud }: Payload, { issuer, ownAudience }: Config['jwks']): boolean =>
  iss === issuer && isFor(ownAudience, aud)

/** The claims of a user's token that a key signs (RFC 9068 section 2.2), besides those of the profile. */
export const keyClaims = (user: User, { jwks }: Settings): Payload => ({
  ...userClaims(user),
  sub: user.username,
  client_id: jwks.clientId,
})

/** Reads all these claims from a signed payload. Undefined if one is missing or wrong. */
export function readKeyClaims(payload: Payload, jwks: Config['jwks']) {
  const { sub, client_id: clientId, user_id: userId } = payload
  if (!isForThisService(payload, jwks) || !isOfUser(payload)) return undefined
  if (!isId(userId) || typeof sub !== 'string' || typeof clientId !== 'string') return undefined
  return { userId, username: sub }
}

/** Whether the claim aud, one name or several, has this one. */
const isFor = (name: string, aud: unknown): boolean =>
  aud === name || (Array.isArray(aud) && aud.includes(name))

/** Whether it has what only tokens of users have: one of a program, whose name may be that of a user, is no user's. */
const isOfUser = (payload: Payload): boolean => payload.username === payload.sub
