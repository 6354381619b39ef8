import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/database.ts'
import { prepareLookup } from '../db/queries.ts'
import { users } from '../db/schema/users.ts'
import { ApiError } from '../errors/api-error.ts'
import { lockUser, type User } from '../users/users.ts'
import type { AccessToken } from './access-tokens.ts'
import { validFrom } from './sessions.ts'

/** The sender of a request, identified by the access token. */
export interface Caller {
  user: User
  /** When the user logged in with the password, in milliseconds since 1970. */
  authenticatedAt: number
  /** When the access token expires, in seconds since 1970. */
  expiresAt: number
}

export type UserLookup = ReturnType<typeof createUserLookup>

/** Finds a user by id. One query, because it runs on nearly every request. */
export const createUserLookup = (db: Database) =>
  prepareLookup(db, { user: users }, users.id, (query) => query.from(users))

/** Finds the caller of a token. Undefined if the token was revoked or the user does not exist. */
export async function findCaller(ctx: Context, token: AccessToken): Promise<Caller | undefined> {
  // A token of mode complete belongs to a session that this mode cannot check. If it were accepted, a stolen token would
  // survive the logout.
  if ('sid' in token.payload) return undefined
  const issuedAt = token.issuedAt * 1000
  const found = await ctx.findUser(token.userId)
  if (!found || issuedAt < validFrom(found.user)) return undefined
  return { user: found.user, authenticatedAt: issuedAt, expiresAt: token.expiresAt }
}

/**
 * Locks the row of a caller before a change, and checks again that they still have access.
 * @throws ApiError invalid_token if the user was deactivated or their tokens were revoked in the meantime
 */
export async function lockCaller(_ctx: Context, tx: Transaction, caller: Caller): Promise<User> {
  const user = await lockUser(tx, caller.user.id)
  if (!user?.isActive || validFrom(user) !== validFrom(caller.user)) throw new ApiError('invalid_token')
  return user
}
