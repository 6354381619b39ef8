import { randomBytes } from 'node:crypto'
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import type { KeyRing } from './keys.ts'
import { firstToken, hashToken, readToken, successorsOf } from './refresh-tokens.ts'
import {
  type Client,
  endSessions,
  isLive,
  liveSessions,
  loginColumns,
  type Session,
  sessionColumns,
  sessions,
  usedColumns,
} from './session-store.ts'
import { lockUser, type User, updateUser } from './users.ts'

/** However often it is used, a session is over then: a stolen one does not live for ever (RFC 9700 section 4.14.2). */
const absoluteMs = 30 * 24 * 60 * 60 * 1000

/** Sessions of one user at a time; one more ends the oldest. */
const maxSessions = 50

export interface StartedSession {
  sessionId: number
  refreshToken: string
}

/** `replayed`: a token that had been replaced already was used again, and its session is ended. */
export type Refresh =
  | { outcome: 'refreshed'; user: User; sessionId: number; refreshToken: string }
  | { outcome: 'replayed'; userId: number; sessionId: number }
  | { outcome: 'invalid' }

export type Sessions = ReturnType<typeof createSessions>

/** Sessions: one row each, whose refresh token is replaced in place at every use. All work on a locked user's row. */
export function createSessions(settings: Config['sessions'], keys: KeyRing, now: () => number) {
  const expiresAt = (startedAt: Date, usedAt: Date) =>
    new Date(Math.min(usedAt.getTime() + settings.idleSeconds * 1000, startedAt.getTime() + absoluteMs))

  return {
    /** Starts a session for a user whose row is locked. */
    async start(tx: Transaction, user: User, client: Client): Promise<StartedSession> {
      const createdAt = new Date(now())
      const login = loginColumns(createdAt)
      if (login) await updateUser(tx, user.id, login)
      await endOldest(tx, user.id, now())
      const [row] = await tx
        .insert(sessions)
        .values({
          userId: user.id,
          // Replaced below: the token holds the id of the row.
          token: hashToken(randomBytes(32).toString('hex')),
          expiresAt: expiresAt(createdAt, createdAt),
          createdAt,
          ...sessionColumns(client),
        })
        .returning({ id: sessions.id })
      if (!row) throw new Error('The database returned no row for a new session')
      const { text } = firstToken(row.id, keys)
      await tx
        .update(sessions)
        .set({ token: hashToken(text) })
        .where(eq(sessions.id, row.id))
      return { sessionId: row.id, refreshToken: text }
    },

    /**
     * Replaces a refresh token by its successor. Of many uses at once exactly one replaces it; the others, and a client
     * that did not get the answer, are given the same successor for a few seconds, as long as it was not used itself.
     * Any other use of a replaced token ends the session: either the thief or the owner holds a stolen token, and
     * nobody can tell which (RFC 9700 section 4.14.2).
     */
    async refresh(tx: Transaction, text: string): Promise<Refresh> {
      const token = readToken(text, keys)
      const found = token && (await findSession(tx, token.sessionId))
      const user = found && (await lockUser(tx, found.userId))
      // Once more, now that nobody else can change it.
      const session = user && (await findSession(tx, found.id))
      if (!user?.isActive || !session || !isLive(session, now())) return { outcome: 'invalid' }

      const [next, ...others] = successorsOf(token, keys)
      const refreshed = (refreshToken: string): Refresh => ({
        outcome: 'refreshed',
        user,
        sessionId: session.id,
        refreshToken,
      })
      if (next && session.token === hashToken(text)) {
        const at = new Date(now())
        await tx
          .update(sessions)
          .set({
            token: hashToken(next.text),
            rotatedAt: at,
            expiresAt: expiresAt(session.createdAt, at),
            ...usedColumns(at),
          })
          .where(and(eq(sessions.id, session.id), eq(sessions.token, session.token)))
        return refreshed(next.text)
      }
      const successor = [next, ...others].find(
        (candidate) => candidate && hashToken(candidate.text) === session.token,
      )
      const graceEnds = (session.rotatedAt?.getTime() ?? 0) + settings.reuseGraceSeconds * 1000
      if (successor && now() < graceEnds) return refreshed(successor.text)

      await endSessions(tx, eq(sessions.id, session.id))
      return { outcome: 'replayed', userId: user.id, sessionId: session.id }
    },
  }
}

async function findSession(tx: Transaction, id: number): Promise<Session | undefined> {
  const [session] = await tx.select().from(sessions).where(eq(sessions.id, id))
  return session
}

async function endOldest(tx: Transaction, userId: number, now: number): Promise<void> {
  const surplus = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), liveSessions(now)))
    .orderBy(desc(sessions.id))
    .limit(maxSessions)
    .offset(maxSessions - 1)
  if (surplus.length > 0)
    await endSessions(
      tx,
      inArray(
        sessions.id,
        surplus.map((session) => session.id),
      ),
    )
}
