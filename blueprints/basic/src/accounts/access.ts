import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { AccessToken, AccessTokens } from './access-tokens.ts'
import { lockUser, type User, type UserQueries, updateUser } from './users.ts'

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
        access_token: accessTokens.issue(user, {
          lifetime: config.accessTokens.lifetimeSeconds,
          // Tokens count whole seconds: one issued in the second in which older ones were voided is none of them.
          notBefore: user.tokensValidFrom,
        }),
        token_type: 'bearer' as const,
      }
    },

    /** The caller who holds the token, if there still is such a user. */
    async findCaller({ userId, issuedAt, payload }: AccessToken): Promise<Caller | undefined> {
      // A token of mode complete belongs to a session. Whether it has ended, nobody can say here: a stolen token would
      // outlive the log-out.
      if ('sid' in payload) return undefined
      const user = await users.findById(userId)
      if (!user || isVoid(issuedAt, user)) return undefined
      return { user, authenticatedAt: issuedAt * 1000 }
    },
  }
}

const isVoid = (issuedAt: number, user: User) => issuedAt * 1000 < (user.tokensValidFrom?.getTime() ?? 0)

/**
 * Locks the row of a caller, for what he was allowed to do a moment ago.
 * @throws ApiError invalid_token if he was deactivated, or his tokens voided, since then
 */
export async function lockCaller(tx: Transaction, caller: Caller): Promise<User> {
  const user = await lockUser(tx, caller.user.id)
  if (!user?.isActive || user.tokensValidFrom?.getTime() !== caller.user.tokensValidFrom?.getTime()) {
    throw new ApiError('invalid_token')
  }
  return user
}

/** Ends all access of a user: every token that he has is void. Part of whatever changes a password or locks him out. */
export async function endAccess(tx: Transaction, userId: number, now: number): Promise<void> {
  const nextSecond = new Date((Math.floor(now / 1000) + 1) * 1000)
  await updateUser(tx, userId, { tokensValidFrom: nextSecond })
}
