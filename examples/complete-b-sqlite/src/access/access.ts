import { eq } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { prepareLookup } from '../db/lookups.ts'
import { users } from '../db/schema/users.ts'
import { voidEmailTokens } from '../email-tokens/email-tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import { deriveKeys } from '../keys.ts'
import { createSessions } from '../sessions/sessions.ts'
import { type Client, endSessions, isLive, type NewSession, sessions } from '../sessions/store.ts'
import { cancelEmailChange } from '../users/pending-email.ts'
import { lockUser, type User } from '../users/users.ts'
import { type AccessToken, createAccessTokens } from './access-tokens.ts'
import { isId } from './claims.ts'

/** The sender of a request, identified by the access token. */
export interface Caller {
  user: User
  sessionId: number
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
  const { start, refresh } = createSessions(
    config.sessions,
    deriveKeys(config.accessTokens).refreshTokens,
    now,
  )
  const bySession = prepareLookup(db, { user: users, session: sessions }, sessions.id, (query) =>
    query.from(sessions).innerJoin(users, eq(users.id, sessions.userId)),
  )

  /** The response body of a login or a refresh. */
  const tokens = (user: User, sessionId: number, refreshToken: string) => ({
    access_token: accessTokens.issue(user, {
      lifetime: config.accessTokens.lifetimeSeconds,
      claims: { sid: sessionId },
    }),
    token_type: 'bearer' as const,
    refresh_token: refreshToken,
  })

  return {
    accessTokens,

    /**
     * Starts a session for a user whose row is locked.
     * @param loggedInAt when they logged in, in milliseconds since 1970. Default: now
     * @returns the body of the login response
     */
    async grant(tx: Transaction, session: NewSession, loggedInAt?: number) {
      const { sessionId, refreshToken } = await start(tx, session, loggedInAt)
      return tokens(session.user, sessionId, refreshToken)
    },

    /** Exchanges a refresh token. @returns the outcome; if it is `refreshed`, also the response body */
    async refresh(text: string, client: Client) {
      // A replay ends the session, so the transaction must commit even if the token is refused.
      const refreshed = await db.transaction((tx) => refresh(tx, text, client))
      if (refreshed.outcome !== 'refreshed') return refreshed
      const { outcome, user, sessionId, refreshToken } = refreshed
      return { outcome, userId: user.id, sessionId, tokens: tokens(user, sessionId, refreshToken) }
    },

    /** Finds the caller of a token if its session is live. One query, because it runs on nearly every request. */
    async findCaller({ userId, payload }: AccessToken): Promise<Caller | undefined> {
      const { sid: sessionId } = payload
      if (!isId(sessionId)) return undefined
      const found = await bySession(sessionId)
      if (found?.user.id !== userId || !isLive(found.session, now())) return undefined
      return {
        user: found.user,
        sessionId: found.session.id,
        authenticatedAt: found.session.createdAt.getTime(),
      }
    },

    /**
     * Locks the row of a caller before a change, and checks again that they still have access.
     * @throws ApiError invalid_token if the user was deactivated or the session ended in the meantime
     */
    async lockCaller(tx: Transaction, caller: Caller): Promise<User> {
      // One after the other: the session is read as it is once the user's row is locked.
      const [user, [session]] = await Promise.all([
        lockUser(tx, caller.user.id),
        tx.select().from(sessions).where(eq(sessions.id, caller.sessionId)),
      ])
      if (!user?.isActive || !session || !isLive(session, now())) throw new ApiError('invalid_token')
      return user
    },

    /**
     * Revokes all access of a user: sessions with all their tokens, emailed codes and links, and the change of their
     * address that waits. Every password change and deactivation calls it.
     */
    async endAccess(tx: Transaction, userId: number): Promise<void> {
      await endSessions(tx, eq(sessions.userId, userId))
      await voidEmailTokens(tx, userId)
      await cancelEmailChange(tx, userId)
    },
  }
}
