import { and, eq, gt, type SQL } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { tokens } from '../db/schema/tokens.ts'
import { users } from '../db/schema/users.ts'
import type { Client } from '../limits/address-limit.ts'
import type { User } from '../users/users.ts'

/** The table of sessions: tokens of the type `refresh`. */
export const sessions = tokens
export type Session = typeof sessions.$inferSelect

/** The data of a new session. Nothing is stored about the client. */
export interface NewSession {
  user: User
  client: Client
  /** How the user logged in (RFC 8176), separated by spaces. Default: with the password alone. */
  amr?: string | null
  /** When they did, in milliseconds since 1970. Default: now. */
  loggedInAt?: number
}

export const isLive = (session: Session, now: number): boolean =>
  session.tokenType === 'refresh' && session.expiresAt.getTime() > now

export const isSessionOf = (userId: number): SQL | undefined =>
  and(eq(sessions.userId, userId), eq(sessions.tokenType, 'refresh'))

export const liveSessions = (now: number): SQL | undefined =>
  and(eq(sessions.tokenType, 'refresh'), gt(sessions.expiresAt, new Date(now)))

/** Also records the first login on the user. */
export async function insertSession(
  tx: Transaction,
  { user }: NewSession,
  row: Pick<Session, 'id' | 'token' | 'amr' | 'expiresAt' | 'createdAt'>,
): Promise<void> {
  if (user.unclaimedSince) await tx.update(users).set({ unclaimedSince: null }).where(eq(users.id, user.id))
  await tx.insert(sessions).values({ userId: user.id, tokenType: 'refresh', ...row })
}

/** Replaces the token of a session. */
export async function rotateSession(
  tx: Transaction,
  { id, token }: Session,
  { client: _, ...row }: { client: Client } & Pick<Session, 'token' | 'expiresAt' | 'rotatedAt'>,
): Promise<void> {
  await tx
    .update(sessions)
    .set(row)
    .where(and(eq(sessions.id, id), eq(sessions.token, token)))
}

/** Ends the matching sessions, which revokes their refresh sessions and access sessions. */
export async function revokeSessions(tx: Transaction, which: SQL | undefined): Promise<void> {
  await tx.delete(sessions).where(and(eq(sessions.tokenType, 'refresh'), which))
}
