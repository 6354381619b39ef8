import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { forUpdate, takeId } from '../db/queries.ts'
import { users } from '../db/schema/users.ts'
import type { KeyRing } from '../keys.ts'
import { cancelEmailChange } from '../users/pending-email.ts'
import type { User } from '../users/users.ts'
import { firstToken, hashToken, type RefreshToken, readToken, successorsOf } from './refresh-tokens.ts'
import {
  type Client,
  endSessions,
  insertSession,
  isLive,
  liveSessions,
  type NewSession,
  rotateSession,
  type Session,
  sessions,
} from './store.ts'

/** Maximum lifetime of a session, in milliseconds, so that a stolen one ends (RFC 9700 section 4.14.2). */
const maxLifetimeMs = 30 * 24 * 60 * 60 * 1000

/** Maximum number of sessions per user. One more login ends the oldest. */
const maxSessions = 50

interface StartedSession {
  sessionId: number
  refreshToken: string
}

/** `replayed`: a replaced token was used again, and its session was ended. */
export type Refresh =
  | { outcome: 'refreshed'; user: User; sessionId: number; refreshToken: string }
  | { outcome: 'replayed'; userId: number; sessionId: number }
  | { outcome: 'invalid' }

/** Sessions. Each is one row, and every refresh replaces its token. All changes lock the user's row first. */
export function createSessions(settings: Config['sessions'], keys: KeyRing, now: () => number) {
  const expiresAt = (startedAt: Date, usedAt: Date) =>
    new Date(Math.min(usedAt.getTime() + settings.idleSeconds * 1000, startedAt.getTime() + maxLifetimeMs))

  return {
    /** Starts a session for a user whose row is locked. @param loggedInAt when they logged in */
    async start(tx: Transaction, session: NewSession, loggedInAt?: number): Promise<StartedSession> {
      const startedAt = new Date(now())
      const createdAt = loggedInAt === undefined ? startedAt : new Date(loggedInAt)
      const [id] = await Promise.all([takeId(tx, sessions), endOldest(tx, session.user.id, now())])
      const { text } = firstToken(id, keys)
      await insertSession(tx, session, {
        id,
        token: hashToken(text),
        expiresAt: expiresAt(createdAt, startedAt),
        createdAt,
      })
      return { sessionId: id, refreshToken: text }
    },

    /**
     * Replaces a refresh token by its successor. Concurrent uses, and clients that lost the response, get the same
     * successor for a few seconds, until the successor is used. Any other use of a replaced token ends the session,
     * because the token may be stolen (RFC 9700 section 4.14.2).
     */
    async refresh(tx: Transaction, text: string, client: Client): Promise<Refresh> {
      const token = readToken(text, keys)
      const locked = token && (await lockSession(tx, token.sessionId))
      if (!token || !locked?.user.isActive || !isLive(locked.session, now())) return { outcome: 'invalid' }
      const { user, session } = locked

      const successors = successorsOf(token, keys)
      const refreshed = ({ text: refreshToken }: RefreshToken): Refresh => ({
        outcome: 'refreshed',
        user,
        sessionId: session.id,
        refreshToken,
      })
      if (session.token === hashToken(text)) {
        const [next] = successors
        const rotatedAt = new Date(now())
        await rotateSession(tx, session, {
          ...client,
          token: hashToken(next.text),
          rotatedAt,
          expiresAt: expiresAt(session.createdAt, rotatedAt),
        })
        return refreshed(next)
      }
      const current = successors.find((successor) => hashToken(successor.text) === session.token)
      const graceEnds = (session.rotatedAt?.getTime() ?? 0) + settings.reuseGraceSeconds * 1000
      if (current && now() < graceEnds) return refreshed(current)

      await endSessions(tx, eq(sessions.id, session.id))
      await cancelEmailChange(tx, user.id, [session.id])
      return { outcome: 'replayed', userId: user.id, sessionId: session.id }
    },
  }
}

/**
 * Locks the user's row, then that of the session, and returns both as they are then: a concurrent refresh may have
 * replaced the token. One query, because each is a round trip to PostgreSQL, which locks rows in the order of FROM.
 */
async function lockSession(
  tx: Transaction,
  id: number,
): Promise<{ user: User; session: Session } | undefined> {
  const query = tx
    .select({ user: users, session: sessions })
    .from(users)
    .innerJoin(sessions, eq(sessions.userId, users.id))
    .where(eq(sessions.id, id))
  const [locked] = await forUpdate(query)
  return locked
}

async function endOldest(tx: Transaction, userId: number, now: number): Promise<void> {
  // No LIMIT: where many sessions have ended, PostgreSQL would read the whole table backwards to find the live ones.
  const live = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), liveSessions(now)))
    .orderBy(desc(sessions.id))
  const ids = live.slice(maxSessions - 1).map(({ id }) => id)
  if (ids.length === 0) return
  await endSessions(tx, inArray(sessions.id, ids))
  await cancelEmailChange(tx, userId, ids)
}
