import { and, eq, gt, inArray, lt, type SQL } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { tokens } from '../db/schema/tokens.ts'
import type { User } from '../users/users.ts'

/** The table of sessions: tokens of the type `refresh`. */
export const sessions = tokens
export type Session = typeof sessions.$inferSelect

/** The data of a new session. */
export interface NewSession {
  user: User
}

export const isLive = (session: Session, now: number): boolean =>
  session.tokenType === 'refresh' && session.expiresAt.getTime() > now

export const liveSessions = (now: number): SQL | undefined =>
  and(eq(tokens.tokenType, 'refresh'), gt(tokens.expiresAt, new Date(now)))

/** @returns the id of the new session */
export async function insertSession(
  tx: Transaction,
  { user }: NewSession,
  row: Pick<Session, 'token' | 'expiresAt' | 'createdAt'>,
): Promise<number> {
  const [session] = await tx
    .insert(tokens)
    .values({ userId: user.id, tokenType: 'refresh', ...row })
    .returning({ id: tokens.id })
  if (!session) throw new Error('The database returned no row for a new session')
  return session.id
}

/** Replaces the token of a session. */
export async function rotateSession(
  tx: Transaction,
  { id, token }: Session,
  row: Pick<Session, 'token' | 'expiresAt' | 'rotatedAt'>,
): Promise<void> {
  await tx
    .update(tokens)
    .set(row)
    .where(and(eq(tokens.id, id), eq(tokens.token, token)))
}

/** Ends the matching sessions, which revokes their refresh tokens and access tokens. */
export async function endSessions(tx: Transaction, which: SQL | undefined): Promise<void> {
  await tx.delete(tokens).where(and(eq(tokens.tokenType, 'refresh'), which))
}

/** Deletes at most `limit` expired sessions. @returns how many */
export async function purgeSessions(tx: Transaction, now: number, limit: number): Promise<number> {
  const { id, tokenType, expiresAt } = tokens
  const over = tx
    .select({ id })
    .from(tokens)
    .where(and(eq(tokenType, 'refresh'), lt(expiresAt, new Date(now))))
    .orderBy(expiresAt)
    .limit(limit)
  return (await tx.delete(tokens).where(inArray(id, over)).returning({ id })).length
}
