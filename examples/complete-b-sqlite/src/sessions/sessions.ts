import { desc, eq, inArray } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { forUpdate, takeId } from '../db/queries.ts'
import { users } from '../db/schema/users.ts'
import { voidEmailTokens } from '../email/tokens.ts'
import { cancelEmailChange } from '../users/emails.ts'
import type { User } from '../users/users.ts'
import { firstToken, hashToken, readToken, successorsOf } from './refresh-tokens.ts'
import {
  type Client,
  endSessions,
  insertSession,
  isLive,
  isSessionOf,
  type NewSession,
  rotateSession,
  type Session,
  sessions,
} from './store.ts'

/** Maximum number of sessions per user. One more login ends the oldest. */
const maxSessions = 50

/** A session ends if it is not used, and for good some days after the login: a stolen one too (RFC 9700 section 4.14.2). */
function expiresAt({ config }: Context, startedAt: Date, usedAt: Date): Date {
  const { idleSeconds, maxDays } = config.sessions
  return new Date(
    Math.min(usedAt.getTime() + idleSeconds * 1000, startedAt.getTime() + maxDays * 24 * 60 * 60 * 1000),
  )
}

/** The response body of a login or a refresh. */
const tokensOf = (
  { accessTokens, config }: Context,
  user: User,
  sessionId: number,
  refreshToken: string,
) => ({
  access_token: accessTokens.issue(user, {
    lifetime: config.accessTokens.lifetimeSeconds,
    claims: { sid: sessionId },
  }),
  token_type: 'bearer' as const,
  expires_in: config.accessTokens.lifetimeSeconds,
  refresh_token: refreshToken,
})

/**
 * Starts a session for a user whose row is locked.
 * @param loggedInAt when they logged in, in milliseconds since 1970. Default: now
 * @returns the body of the login response
 */
export async function startSession(ctx: Context, tx: Transaction, session: NewSession, loggedInAt?: number) {
  const { keys, now } = ctx
  const startedAt = new Date(now())
  const createdAt = loggedInAt === undefined ? startedAt : new Date(loggedInAt)
  const [id] = await Promise.all([takeId(tx, sessions), makeRoom(tx, session.user.id, now())])
  const { text } = firstToken(id, keys.refreshTokens)
  await insertSession(tx, session, {
    id,
    token: hashToken(text),
    expiresAt: expiresAt(ctx, createdAt, startedAt),
    createdAt,
  })
  return tokensOf(ctx, session.user, id, text)
}

/** `replayed`: a replaced token was used again, and its session was ended. */
export type Refresh =
  | { outcome: 'refreshed'; userId: number; sessionId: number; tokens: ReturnType<typeof tokensOf> }
  | { outcome: 'replayed'; userId: number; sessionId: number }
  | { outcome: 'invalid' }

/**
 * Replaces a refresh token by its successor. Concurrent uses, and clients that lost the response, get the same successor
 * for a few seconds, until the successor is used. Any other use of a replaced token ends the session, because the token
 * may be stolen (RFC 9700 section 4.14.2).
 */
export async function refreshSession(ctx: Context, text: string, client: Client): Promise<Refresh> {
  const { config, db, keys, now } = ctx
  // A replay ends the session, so the transaction must commit even if the token is refused.
  return db.transaction(async (tx) => {
    const token = readToken(text, keys.refreshTokens)
    const locked = token && (await lockSession(tx, token.sessionId))
    if (!token || !locked?.user.isActive || !isLive(locked.session, now())) return { outcome: 'invalid' }
    const { user, session } = locked
    const found = { userId: user.id, sessionId: session.id }

    const successors = successorsOf(token, keys.refreshTokens)
    if (session.token === hashToken(text)) {
      const [next] = successors
      const rotatedAt = new Date(now())
      await rotateSession(tx, session, {
        ...client,
        token: hashToken(next.text),
        rotatedAt,
        expiresAt: expiresAt(ctx, session.createdAt, rotatedAt),
      })
      return { outcome: 'refreshed', ...found, tokens: tokensOf(ctx, user, session.id, next.text) }
    }
    const current = successors.find((successor) => hashToken(successor.text) === session.token)
    const graceEnds = (session.rotatedAt?.getTime() ?? 0) + config.sessions.reuseGraceSeconds * 1000
    if (current && now() < graceEnds)
      return { outcome: 'refreshed', ...found, tokens: tokensOf(ctx, user, session.id, current.text) }

    await endSessions(tx, eq(sessions.id, session.id))
    await cancelEmailChange(tx, user.id, [session.id])
    return { outcome: 'replayed', ...found }
  })
}

/**
 * Revokes all access of a user: sessions with all their tokens, emailed codes and links, and the change of their address
 * that waits. Every password change and deactivation calls it.
 */
export async function endAccess(_ctx: Context, tx: Transaction, userId: number): Promise<void> {
  await endSessions(tx, eq(sessions.userId, userId))
  await voidEmailTokens(tx, userId)
  await cancelEmailChange(tx, userId)
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

/**
 * Deletes the sessions of a user that have ended, and the oldest ones beyond the maximum: a thief who logs in and out all
 * day would fill the disk with them.
 */
async function makeRoom(tx: Transaction, userId: number, now: number): Promise<void> {
  const all = await tx.select().from(sessions).where(isSessionOf(userId)).orderBy(desc(sessions.id))
  const oldest = all.filter((session) => isLive(session, now)).slice(maxSessions - 1)
  const useless = all.filter((session) => !isLive(session, now) || oldest.includes(session))
  if (useless.length === 0) return
  const idsOf = (rows: Session[]) => rows.map(({ id }) => id)
  await tx.delete(sessions).where(inArray(sessions.id, idsOf(useless)))
  if (oldest.length > 0) await cancelEmailChange(tx, userId, idsOf(oldest))
}
