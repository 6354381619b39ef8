import { and, desc, eq, inArray, ne } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { forUpdate, takeId } from '../db/queries.ts'
import { users } from '../db/schema/users.ts'
import type { Client } from '../limits/address-limit.ts'
import type { User } from '../users/users.ts'
import { firstToken, hashToken, readToken, successorsOf } from './refresh-tokens.ts'
import {
  insertSession,
  isLive,
  isSessionOf,
  type NewSession,
  revokeSessions,
  rotateSession,
  type Session,
  sessions,
} from './store.ts'

/** Maximum number of sessions per user. One more login ends the oldest. */
const maxSessions = 50

/** A session ends if it is not used, and for good some days after the login: a stolen one too (RFC 9700 section 4.14.2). */
export function expiresAt({ config }: Context, startedAt: Date, usedAt: Date): Date {
  const { idleSeconds, maxDays } = config.sessions
  return new Date(
    Math.min(usedAt.getTime() + idleSeconds * 1000, startedAt.getTime() + maxDays * 24 * 60 * 60 * 1000),
  )
}

/** The response body of a login or a refresh. Tokens name a recovery code as one of an app (RFC 8176 has no other word). */
const tokensOf = (
  { accessTokens, config }: Context,
  user: User,
  { id, amr }: Pick<Session, 'id' | 'amr'>,
  refreshToken: string,
) => ({
  access_token: accessTokens.issue(user, {
    lifetime: config.accessTokens.lifetimeSeconds,
    claims: { sid: id, ...(amr && { amr: amr.replace('recovery', 'otp').split(' ') }) },
  }),
  token_type: 'bearer' as const,
  expires_in: config.accessTokens.lifetimeSeconds,
  refresh_token: refreshToken,
})

/** Starts a session for a user whose row is locked. @returns the body of the login response */
export async function startSession(ctx: Context, tx: Transaction, session: NewSession) {
  const { keys, now } = ctx
  const startedAt = new Date(now())
  const createdAt = new Date(session.loggedInAt ?? now())
  const amr = session.amr ?? null
  await makeRoom(ctx, tx, session.user.id)
  const id = await takeId(tx, sessions)
  const { text } = firstToken(id, keys.refreshTokens)
  await insertSession(tx, session, {
    id,
    token: hashToken(text),
    amr,
    expiresAt: expiresAt(ctx, createdAt, startedAt),
    createdAt,
  })
  return tokensOf(ctx, session.user, { id, amr }, text)
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
        client,
        token: hashToken(next.text),
        rotatedAt,
        expiresAt: expiresAt(ctx, session.createdAt, rotatedAt),
      })
      return { outcome: 'refreshed', ...found, tokens: tokensOf(ctx, user, session, next.text) }
    }
    const current = successors.find((successor) => hashToken(successor.text) === session.token)
    const graceEnds = (session.rotatedAt?.getTime() ?? 0) + config.sessions.reuseGraceSeconds * 1000
    if (current && now() < graceEnds)
      return { outcome: 'refreshed', ...found, tokens: tokensOf(ctx, user, session, current.text) }

    await endSessions(ctx, tx, user.id, { only: [session.id] })
    return { outcome: 'replayed', ...found }
  })
}

/**
 * Ends what sessions of a user have asked for: otherwise a thief would still get it after the owner has locked them out.
 * @param sessionIds those that end. Default: all of the user
 */
export type EndsWithSessions = (
  ctx: Context,
  tx: Transaction,
  userId: number,
  sessionIds?: number[],
) => Promise<unknown>

/**
 * Ends sessions of a user whose row is locked, with all their tokens and what ends with them.
 * @param which `only` these, or all `but` one. Default: all. What ends with sessions ends with all `but` one, too
 */
export async function endSessions(
  ctx: Context,
  tx: Transaction,
  userId: number,
  { only, but }: { only?: number[]; but?: number | undefined } = {},
): Promise<void> {
  const which = only ? inArray(sessions.id, only) : but === undefined ? undefined : ne(sessions.id, but)
  await revokeSessions(tx, and(eq(sessions.userId, userId), which))
  for (const end of ctx.endsWithSessions) await end(ctx, tx, userId, only)
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
async function makeRoom(ctx: Context, tx: Transaction, userId: number): Promise<void> {
  const now = ctx.now()
  const all = await tx.select().from(sessions).where(isSessionOf(userId)).orderBy(desc(sessions.id))
  const oldest = all.filter((session) => isLive(session, now)).slice(maxSessions - 1)
  const useless = all.filter((session) => !isLive(session, now) || oldest.includes(session))
  if (useless.length === 0) return
  const idsOf = (rows: Session[]) => rows.map(({ id }) => id)
  await tx.delete(sessions).where(inArray(sessions.id, idsOf(useless)))
  if (oldest.length === 0) return
  for (const end of ctx.endsWithSessions) await end(ctx, tx, userId, idsOf(oldest))
}
