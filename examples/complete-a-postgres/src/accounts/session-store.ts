import { and, eq, gt, inArray, lt, type SQL } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { tokens } from '../db/schema/tokens.ts'

/** Where sessions are kept: tokens of the type `refresh`. */
export const sessions = tokens
export type Session = typeof sessions.$inferSelect

/** What is remembered of the client that logs in: nothing, in this profile. */
export type Client = Record<string, never>

/** The columns of a new session that sessions.ts does not know of. */
export const sessionColumns = (_client: Client) => ({ tokenType: 'refresh' as const })

/** The columns that change when a session is used, beyond those that sessions.ts knows of. */
export const usedColumns = (_at: Date) => ({})

/** The columns of a user that change when he logs in. */
export const loginColumns = (_at: Date) => undefined

export const isLive = (session: Session, now: number): boolean =>
  session.tokenType === 'refresh' && session.expiresAt.getTime() > now

export const liveSessions = (now: number): SQL | undefined =>
  and(eq(tokens.tokenType, 'refresh'), gt(tokens.expiresAt, new Date(now)))

/** Ends the sessions that fit: their refresh tokens and access tokens are void at once. */
export async function endSessions(tx: Transaction, which: SQL | undefined): Promise<void> {
  await tx.delete(tokens).where(and(eq(tokens.tokenType, 'refresh'), which))
}

/** Deletes what is over, as many as `limit`. @returns how many */
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
