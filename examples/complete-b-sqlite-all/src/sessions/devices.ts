import { and, desc, eq } from 'drizzle-orm'
import type { Database, Transaction } from '../db/database.ts'
import { cancelEmailChange } from '../users/pending-email.ts'
import { lockUser } from '../users/users.ts'
import { endSessions, liveSessions, type NewSession, type Session, sessions } from './store.ts'

/** The live sessions of a user, newest first. */
export const listDevices = async (db: Database, userId: number, now: number): Promise<Session[]> =>
  db.read
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), liveSessions(now)))
    .orderBy(desc(sessions.id))

/**
 * Ends one session of a user. The session of another user is treated as missing, so that the response does not reveal
 * that the id exists.
 * @returns whether the session existed
 */
export const endDevice = (db: Database, userId: number, id: number, now: number): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockUser(tx, userId)
    const which = and(eq(sessions.id, id), eq(sessions.userId, userId), liveSessions(now))
    const [session] = await tx.select({ id: sessions.id }).from(sessions).where(which)
    if (session) {
      await endSessions(tx, which)
      await cancelEmailChange(tx, userId, [id])
    }
    return session !== undefined
  })

/** Reads the device of a session, for the session that replaces it. */
export async function deviceOf(
  tx: Transaction,
  id: number,
): Promise<Pick<NewSession, 'deviceName' | 'deviceType'>> {
  const { deviceName, deviceType } = sessions
  const [device] = await tx.select({ deviceName, deviceType }).from(sessions).where(eq(sessions.id, id))
  return device ?? {}
}
