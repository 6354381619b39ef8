import { eq } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { deriveKeys } from './keys.ts'
import { readToken } from './refresh-tokens.ts'
import { endSessions, sessions } from './session-store.ts'
import { lockUser } from './users.ts'

/** Finds the session of a refresh token, replaced or not, without the database; undefined where the token is none of ours. */
export function createSessionFinder(settings: Config['accessTokens']): (token: string) => number | undefined {
  const { refreshTokens: keys } = deriveKeys(settings)
  return (token) => readToken(token, keys)?.sessionId
}

/** Ends a session, if it is there. @returns the id of its user */
export const endSession = (db: Database, sessionId: number): Promise<number | undefined> =>
  db.transaction(async (tx) => {
    const which = eq(sessions.id, sessionId)
    const [session] = await tx.select({ userId: sessions.userId }).from(sessions).where(which)
    // A refresh that is under way ends before, or finds the session over: it leaves no live token.
    if (session) await lockUser(tx, session.userId)
    await endSessions(tx, which)
    return session?.userId
  })
