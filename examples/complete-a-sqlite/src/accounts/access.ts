import { and, eq, sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { prepare } from '../db/dialect.ts'
import { users } from '../db/schema/users.ts'
import { ApiError } from '../errors.ts'
import type { AccessToken, AccessTokens } from './access-tokens.ts'
import { voidEmailTokens } from './email-token-store.ts'
import { type Client, endSessions, isLive, sessions } from './session-store.ts'
import type { Sessions } from './sessions.ts'
import { lockUser, type User } from './users.ts'

/** Who sent a request, by its access token. */
export interface Caller {
  user: User
  sessionId: number
  /** When he proved his password, in milliseconds since 1970. */
  authenticatedAt: number
}

export interface AccessDependencies {
  accessTokens: AccessTokens
  config: Config
  db: Database
  now: () => number
  sessions: Sessions
}

export type Access = ReturnType<typeof createAccess>

/** What a user gets by logging in, and how a request shows it. */
export function createAccess({ accessTokens, config, db, now, sessions: sessionRules }: AccessDependencies) {
  const bySession = prepare(
    db.read
      .select({ user: users, session: sessions })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(and(eq(sessions.id, sql.placeholder('sessionId')), eq(users.id, sql.placeholder('userId')))),
    'caller_by_session',
  )

  /** The body of the answer to a login or a refresh. */
  const tokens = (user: User, sessionId: number, refreshToken: string) => ({
    access_token: accessTokens.issue(user, {
      lifetime: config.accessTokens.lifetimeSeconds,
      claims: { sid: sessionId },
    }),
    token_type: 'bearer' as const,
    refresh_token: refreshToken,
  })

  return {
    tokens,

    /** Starts a session of this client, for a user whose row is locked. Resolves to the body of the answer to a login. */
    grantTo: (client: Client) => async (tx: Transaction, user: User) => {
      const { sessionId, refreshToken } = await sessionRules.start(tx, user, client)
      return tokens(user, sessionId, refreshToken)
    },

    /** The caller who holds the token, if his session is live. One query: it runs with nearly every request. */
    async findCaller({ userId, payload }: AccessToken): Promise<Caller | undefined> {
      const { sid: sessionId } = payload
      if (!Number.isSafeInteger(sessionId)) return undefined
      const [found] = await bySession({ sessionId, userId })
      if (!found || !isLive(found.session, now())) return undefined
      return {
        user: found.user,
        sessionId: found.session.id,
        authenticatedAt: found.session.createdAt.getTime(),
      }
    },
  }
}

/**
 * Locks the row of a caller, for what he was allowed to do a moment ago.
 * @throws ApiError invalid_token if he was deactivated, or his session ended, since then
 */
export async function lockCaller(tx: Transaction, caller: Caller, now: number): Promise<User> {
  const user = await lockUser(tx, caller.user.id)
  const [session] = await tx.select().from(sessions).where(eq(sessions.id, caller.sessionId))
  if (!user?.isActive || !session || !isLive(session, now)) throw new ApiError('invalid_token')
  return user
}

/**
 * Ends all access of a user: his sessions, with every token of theirs, and the codes and links that were mailed to him.
 * Part of whatever changes a password or locks him out.
 */
export async function endAccess(tx: Transaction, userId: number, _now: number): Promise<void> {
  await endSessions(tx, eq(sessions.userId, userId))
  await voidEmailTokens(tx, userId)
}
