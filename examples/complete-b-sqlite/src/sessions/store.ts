import { isUtf8 } from 'node:buffer'
import { and, eq, gt, type SQL } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { refreshTokens } from '../db/schema/refresh-tokens.ts'
import { users } from '../db/schema/users.ts'
import type { Client } from '../limits/address-limit.ts'
import type { User } from '../users/users.ts'

/** The table of sessions. */
export const sessions = refreshTokens
export type Session = typeof sessions.$inferSelect

/** The data of a new session: the user, and the client for the list of devices. */
export interface NewSession {
  user: User
  client: Client
  /** How the user logged in (RFC 8176), separated by spaces. Default: with the password alone. */
  amr?: string | null
  /** When they did, in milliseconds since 1970. Default: now. */
  loggedInAt?: number
}

export const isLive = (session: Session, now: number): boolean =>
  !session.isRevoked && session.expiresAt.getTime() > now

export const isSessionOf = (userId: number): SQL | undefined => eq(sessions.userId, userId)

export const liveSessions = (now: number): SQL | undefined =>
  and(eq(sessions.isRevoked, false), gt(sessions.expiresAt, new Date(now)))

/** At most 512 characters: a header can have 16 KiB. Node reads it as Latin 1, but clients send UTF-8. */
function stored(userAgent: string | undefined): string | null {
  if (userAgent === undefined) return null
  const bytes = Buffer.from(userAgent, 'latin1')
  const text = isUtf8(bytes) ? bytes.toString() : userAgent
  // Text that changes its direction could make a thief look like another device in the list (CVE-2021-42574).
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
  return visible.slice(0, 512).toWellFormed()
}

const placeOf = ({ address, userAgent }: Client) => ({ ipAddress: address, userAgent: stored(userAgent) })

/** Also records the login on the user. */
export async function insertSession(
  tx: Transaction,
  { user, client: { deviceName, deviceType, ...client } }: NewSession,
  row: Pick<Session, 'id' | 'token' | 'amr' | 'expiresAt' | 'createdAt'>,
): Promise<void> {
  // A change of the password is no login: its session keeps the time of an earlier one.
  const lastLoginAt = new Date(Math.max(row.createdAt.getTime(), user.lastLoginAt?.getTime() ?? 0))
  await tx.update(users).set({ lastLoginAt, unclaimedSince: null }).where(eq(users.id, user.id))
  await tx.insert(sessions).values({ userId: user.id, deviceName, deviceType, ...placeOf(client), ...row })
}

/** Replaces the token of a session, and the client, so that the list of devices shows the last one: perhaps a thief. */
export async function rotateSession(
  tx: Transaction,
  { id, token }: Session,
  { client, ...row }: { client: Client } & Pick<Session, 'token' | 'expiresAt' | 'rotatedAt'>,
): Promise<void> {
  await tx
    .update(sessions)
    .set({ ...row, ...placeOf(client), lastUsedAt: row.rotatedAt })
    .where(and(eq(sessions.id, id), eq(sessions.token, token)))
}

/**
 * Ends the matching sessions, which revokes their refresh tokens and access tokens. Ended ones are not written again:
 * closing an account must not take longer the more sessions it had.
 */
export async function revokeSessions(tx: Transaction, which: SQL | undefined): Promise<void> {
  await tx
    .update(sessions)
    .set({ isRevoked: true })
    .where(and(eq(sessions.isRevoked, false), which))
}
