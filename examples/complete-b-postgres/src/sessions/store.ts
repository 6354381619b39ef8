import { and, eq, gt, type SQL } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { refreshTokens } from '../db/schema/refresh-tokens.ts'
import { users } from '../db/schema/users.ts'
import type { User } from '../users/users.ts'

/** The table of sessions. */
export const sessions = refreshTokens
export type Session = typeof sessions.$inferSelect

/** What is stored about the client that uses a session. */
export interface Client {
  ipAddress: string
  userAgent: string | undefined
}

/** The data of a new session: the user, and the client for the list of devices. */
export interface NewSession extends Client {
  user: User
  deviceName?: string | null | undefined
  deviceType?: string | null | undefined
}

export const isLive = (session: Session, now: number): boolean =>
  !session.isRevoked && session.expiresAt.getTime() > now

export const isSessionOf = (userId: number): SQL | undefined => eq(sessions.userId, userId)

export const liveSessions = (now: number): SQL | undefined =>
  and(eq(sessions.isRevoked, false), gt(sessions.expiresAt, new Date(now)))

/** At most 512 characters: a header can have 16 KiB. */
const stored = (userAgent: string | undefined): string | null => userAgent?.slice(0, 512) ?? null

/** Also records the login on the user. */
export async function insertSession(
  tx: Transaction,
  { user, userAgent, ...client }: NewSession,
  row: Pick<Session, 'id' | 'token' | 'expiresAt' | 'createdAt'>,
): Promise<void> {
  // A change of the password is no login: its session keeps the time of an earlier one.
  const lastLoginAt = new Date(Math.max(row.createdAt.getTime(), user.lastLoginAt?.getTime() ?? 0))
  await tx.update(users).set({ lastLoginAt, unclaimedSince: null }).where(eq(users.id, user.id))
  const session = { userId: user.id, userAgent: stored(userAgent), ...client, ...row }
  await tx.insert(sessions).values(session)
}

/** Replaces the token of a session, and the client, so that the list of devices shows the last one: perhaps a thief. */
export async function rotateSession(
  tx: Transaction,
  { id, token }: Session,
  { userAgent, ...row }: Client & Pick<Session, 'token' | 'expiresAt' | 'rotatedAt'>,
): Promise<void> {
  await tx
    .update(sessions)
    .set({ ...row, userAgent: stored(userAgent), lastUsedAt: row.rotatedAt })
    .where(and(eq(sessions.id, id), eq(sessions.token, token)))
}

/**
 * Ends the matching sessions, which revokes their refresh tokens and access tokens. Ended ones are not written again:
 * closing an account must not take longer the more sessions it had.
 */
export async function endSessions(tx: Transaction, which: SQL | undefined): Promise<void> {
  await tx
    .update(sessions)
    .set({ isRevoked: true })
    .where(and(eq(sessions.isRevoked, false), which))
}
