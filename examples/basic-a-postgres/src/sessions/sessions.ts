import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { type User, updateUser } from '../users/users.ts'

/** Issues an access token. @returns the body of the login response */
export function startSession({ accessTokens, config, now }: Context, user: User) {
  // `iat` is in whole seconds: a token issued in the second of a revocation is dated to the next second.
  const issuedAt = Math.max(Math.floor(now() / 1000), Math.ceil(validFrom(user) / 1000))
  return {
    access_token: accessTokens.issue(user, {
      lifetime: config.accessTokens.lifetimeSeconds,
      claims: { iat: issuedAt },
    }),
    token_type: 'bearer' as const,
    expires_in: config.accessTokens.lifetimeSeconds,
  }
}

/** Revokes all access tokens of a user. */
export async function endSessions({ now }: Context, tx: Transaction, userId: number): Promise<void> {
  const nextSecond = new Date((Math.floor(now() / 1000) + 1) * 1000)
  await updateUser(tx, userId, { tokensValidFrom: nextSecond })
}

/** Access tokens issued before this time are revoked. Milliseconds since 1970. */
export const validFrom = ({ tokensValidFrom }: User): number => tokensValidFrom?.getTime() ?? 0
