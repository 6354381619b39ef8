import { eq } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { deriveKeys } from '../keys.ts'
import { cancelEmailChange } from '../users/pending-email.ts'
import { lockUser } from '../users/users.ts'
import { readToken } from './refresh-tokens.ts'
import { endSessions, sessions } from './store.ts'

/** Reads the session id from a refresh token, replaced or not. Undefined if this service did not issue the token. */
export function createSessionFinder(settings: Config['accessTokens']): (token: string) => number | undefined {
  const { refreshTokens: keys } = deriveKeys(settings)
  return (token) => readToken(token, keys)?.sessionId
}

/** Ends a session. @returns the id of its user; undefined if there is no such session */
export const endSession = (db: Database, sessionId: number): Promise<number | undefined> =>
  db.transaction(async (tx) => {
    const which = eq(sessions.id, sessionId)
    const [session] = await tx.select({ userId: sessions.userId }).from(sessions).where(which)
    // A concurrent refresh must finish first or find the session ended. Otherwise it would leave a valid token.
    if (session) await lockUser(tx, session.userId)
    await endSessions(tx, which)
    return session?.userId
  })

/** Ends every session of a user, and cancels the change of their address that waits: perhaps a thief asked for it. */
export const endAllSessions = (db: Database, userId: number): Promise<void> =>
  db.transaction(async (tx) => {
    // A concurrent refresh or login must finish before or start after. Otherwise it would leave a valid token.
    await lockUser(tx, userId)
    await endSessions(tx, eq(sessions.userId, userId))
    await cancelEmailChange(tx, userId)
  })
