import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { prepareLookup } from '../db/lookups.ts'
import { users } from '../db/schema/users.ts'
import { ApiError } from '../errors/api-error.ts'
import { lockUser, type User, updateUser } from '../users/users.ts'
import { type AccessToken, createAccessTokens } from './access-tokens.ts'

/** The sender of a request, identified by the access token. */
export interface Caller {
  user: User
  /** When the user logged in with the password, in milliseconds since 1970. */
  authenticatedAt: number
}

interface AccessDependencies {
  config: Config
  db: Database
  now: () => number
}

export type Access = ReturnType<typeof createAccess>

/** Grants, checks and revokes access. */
export function createAccess({ config, db, now }: AccessDependencies) {
  const accessTokens = createAccessTokens(config.accessTokens, now)
  const byId = prepareLookup(db, { user: users }, users.id, (query) => query.from(users))

  return {
    accessTokens,

    /** Issues an access token. @returns the body of the login response */
    grant(user: User) {
      // `iat` is in whole seconds: a token issued in the second of a revocation is dated to the next second.
      const issuedAt = Math.max(Math.floor(now() / 1000), Math.ceil(validFrom(user) / 1000))
      return {
        access_token: accessTokens.issue(user, {
          lifetime: config.accessTokens.lifetimeSeconds,
          claims: { iat: issuedAt },
        }),
        token_type: 'bearer' as const,
      }
    },

    /** Finds the caller of a token. Undefined if the token was revoked or the user does not exist. */
    async findCaller({ userId, issuedAt, payload }: AccessToken): Promise<Caller | undefined> {
      // A token of mode complete belongs to a session that this mode cannot check. If it were accepted, a stolen token
      // would survive the logout.
      if ('sid' in payload) return undefined
      const found = await byId(userId)
      if (!found || issuedAt * 1000 < validFrom(found.user)) return undefined
      return { user: found.user, authenticatedAt: issuedAt * 1000 }
    },

    /**
     * Locks the row of a caller before a change, and checks again that they still have access.
     * @throws ApiError invalid_token if the user was deactivated or their tokens were revoked in the meantime
     */
    async lockCaller(tx: Transaction, caller: Caller): Promise<User> {
      const user = await lockUser(tx, caller.user.id)
      if (!user?.isActive || validFrom(user) !== validFrom(caller.user)) throw new ApiError('invalid_token')
      return user
    },

    /** Revokes all access tokens of a user. Every password change and deactivation calls it. */
    async endAccess(tx: Transaction, userId: number): Promise<void> {
      const nextSecond = new Date((Math.floor(now() / 1000) + 1) * 1000)
      await updateUser(tx, userId, { tokensValidFrom: nextSecond })
    },
  }
}

/** Access tokens issued before this time are revoked. Milliseconds since 1970. */
const validFrom = ({ tokensValidFrom }: User): number => tokensValidFrom?.getTime() ?? 0
