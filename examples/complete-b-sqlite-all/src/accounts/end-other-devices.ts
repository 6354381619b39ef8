import { and, eq, ne } from 'drizzle-orm'
import type { Access, Caller } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { endSessions, sessions } from '../sessions/store.ts'
import { cancelEmailChange } from '../users/pending-email.ts'

/**
 * Ends every session of a caller but their own, and cancels the change of their address that waits: perhaps a thief asked
 * for it. Rejects with ApiError invalid_token if their session has ended in the meantime: a thief who was just logged out
 * must not log the owner out.
 */
export const createOtherDevicesEnd =
  ({ access, db }: { access: Access; db: Database }) =>
  (caller: Caller): Promise<void> =>
    db.transaction(async (tx) => {
      const { id } = await access.lockCaller(tx, caller)
      await endSessions(tx, and(eq(sessions.userId, id), ne(sessions.id, caller.sessionId)))
      await cancelEmailChange(tx, id)
    })
