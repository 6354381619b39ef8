import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import type { AccessToken, AccessTokens } from './access-tokens.ts'
import { nextSecond, type User, type UserQueries, updateUser } from './users.ts'

/** Who sent a request, by its access token. */
export interface Caller {
  user: User
  /** When he proved his password, in milliseconds since 1970. */
  authenticatedAt: number
}

export interface AccessDependencies {
  accessTokens: AccessTokens
  config: Config
  users: UserQueries
}

export type Access = ReturnType<typeof createAccess>

/** What a user gets by logging in, and how a request shows it. */
export function createAccess({ accessTokens, config, users }: AccessDependencies) {
  return {
    /** Lets the user in. @returns the body of the answer to a login */
    async grant(_tx: Transaction, user: User) {
      return {
        access_token: accessTokens.issue(user, { lifetime: config.accessTokens.lifetimeSeconds }),
        token_type: 'bearer' as const,
      }
    },

    /** The caller who holds the token, if there still is such a user. */
    async findCaller({ userId, issuedAt }: AccessToken): Promise<Caller | undefined> {
      const user = await users.findById(userId)
      return user && { user, authenticatedAt: issuedAt * 1000 }
    },
  }
}

/** Ends all access of a user: every token that he has is void. Part of whatever changes a password or locks him out. */
export async function endAccess(tx: Transaction, userId: number, now: number): Promise<void> {
  await updateUser(tx, userId, { tokensValidFrom: nextSecond(now) })
}
