import { and, desc, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import type { Client } from '../limits/address-limit.ts'
import { lockUser } from '../users/users.ts'
import { type Caller, lockCaller } from './caller.ts'
import { readToken } from './refresh-tokens.ts'
import { endSessions } from './sessions.ts'
import { liveSessions, revokeSessions, type Session, sessions } from './store.ts'

/** The live sessions of a user, newest first. */
export const listDevices = async ({ db, now }: Context, userId: number): Promise<Session[]> =>
  db.read
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), liveSessions(now())))
    .orderBy(desc(sessions.id))

/**
 * Ends one session of a user. The session of another user is treated as missing, so that the response does not reveal
 * that the id exists.
 * @returns whether the session existed
 * @throws ApiError invalid_token if that of the caller has ended in the meantime
 */
export const endDevice = (ctx: Context, caller: Caller, id: number): Promise<boolean> =>
  ctx.db.transaction(async (tx) => {
    const { id: userId } = await lockCaller(ctx, tx, caller)
    const which = and(eq(sessions.id, id), eq(sessions.userId, userId), liveSessions(ctx.now()))
    const [session] = await tx.select({ id: sessions.id }).from(sessions).where(which)
    if (session) await endSessions(ctx, tx, userId, { only: [id] })
    return session !== undefined
  })

/**
 * Ends every session of a caller, or all `but` one, and cancels the change of their address that waits: perhaps a thief
 * asked for it.
 * @throws ApiError invalid_token if their session has ended in the meantime: a thief who was just logged out must not log
 * the owner out
 */
export const endDevices = (ctx: Context, caller: Caller, but?: number): Promise<void> =>
  ctx.db.transaction(async (tx) => {
    // A concurrent refresh or login must finish before or start after. Otherwise it would leave a valid token.
    const { id } = await lockCaller(ctx, tx, caller)
    await endSessions(ctx, tx, id, { but })
  })

/** The session id in a refresh token, replaced or not. Undefined if this service did not issue the token. */
export const sessionOf = ({ keys }: Context, token: string): number | undefined =>
  readToken(token, keys.refreshTokens)?.sessionId

/** Ends a session. @returns the id of its user; undefined if there is no such session */
export const endSession = ({ db }: Context, sessionId: number): Promise<number | undefined> =>
  db.transaction(async (tx) => {
    const which = eq(sessions.id, sessionId)
    const [session] = await tx.select({ userId: sessions.userId }).from(sessions).where(which)
    // A concurrent refresh must finish first or find the session ended. Otherwise it would leave a valid token.
    if (session) await lockUser(tx, session.userId)
    await revokeSessions(tx, which)
    return session?.userId
  })

/** Reads the device of a session, for the session that replaces it. */
export async function deviceOf(
  tx: Transaction,
  id: number,
): Promise<Pick<Client, 'deviceName' | 'deviceType'>> {
  const { deviceName, deviceType } = sessions
  const [device] = await tx.select({ deviceName, deviceType }).from(sessions).where(eq(sessions.id, id))
  return device ?? {}
}
