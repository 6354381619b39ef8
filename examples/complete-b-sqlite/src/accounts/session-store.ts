import { and, eq, gt, inArray, lt, type SQL } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { refreshTokens } from '../db/schema/refresh-tokens.ts'

/** Where sessions are kept. */
export const sessions = refreshTokens
export type Session = typeof sessions.$inferSelect

/** What is remembered of the client that logs in, for the list of devices. */
export interface Client {
  address: string
  userAgent: string | undefined
  deviceName?: string | undefined
  deviceType?: string | undefined
}

/** The columns of a new session that sessions.ts does not know of. */
export const sessionColumns = ({ address, userAgent, deviceName, deviceType }: Client) => ({
  ipAddress: address,
  userAgent: userAgent?.slice(0, 512),
  deviceName,
  deviceType,
})

/** The columns that change when a session is used, beyond those that sessions.ts knows of. */
export const usedColumns = (at: Date) => ({ lastUsedAt: at })

/** The columns of a user that change when he logs in. */
export const loginColumns = (at: Date) => ({ lastLoginAt: at })

export const isLive = (session: Session, now: number): boolean =>
  !session.isRevoked && session.expiresAt.getTime() > now

export const liveSessions = (now: number): SQL | undefined =>
  and(eq(refreshTokens.isRevoked, false), gt(refreshTokens.expiresAt, new Date(now)))

/** Ends the sessions that fit: their refresh tokens and access tokens are void at once. */
export async function endSessions(tx: Transaction, which: SQL | undefined): Promise<void> {
  await tx.update(refreshTokens).set({ isRevoked: true }).where(which)
}

/** Deletes what is over, as many as `limit`. @returns how many */
export async function purgeSessions(tx: Transaction, now: number, limit: number): Promise<number> {
  const { id, expiresAt } = refreshTokens
  const over = tx
    .select({ id })
    .from(refreshTokens)
    .where(lt(expiresAt, new Date(now)))
    .orderBy(expiresAt)
    .limit(limit)
  return (await tx.delete(refreshTokens).where(inArray(id, over)).returning({ id })).length
}
