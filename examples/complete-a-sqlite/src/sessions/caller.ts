import { eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Database, Transaction } from '../db/database.ts'
import { prepareLookup } from '../db/queries.ts'
import { users } from '../db/schema/users.ts'
import { ApiError } from '../errors/api-error.ts'
import { lockUser, type User } from '../users/users.ts'
import type { AccessToken } from './access-tokens.ts'
import { isId } from './claims.ts'
import { isLive, type Session, sessions } from './store.ts'

/** The sender of a request, identified by the access token. */
export interface Caller {
  user: User
  sessionId: number
  /** When the user logged in, in milliseconds since 1970. */
  authenticatedAt: number
  /** How they did (RFC 8176), separated by spaces. Null: with the password alone. */
  amr: string | null
  /** When the access token expires, in seconds since 1970. */
  expiresAt: number
}

/** Whether a login was with a second factor. */
export const isMfa = (amr: string | null | undefined): boolean => amr?.split(' ').includes('mfa') ?? false

export type SessionLookup = ReturnType<typeof createSessionLookup>

/** Finds a session and its user by the id of the session. One query, because it runs on nearly every request. */
export const createSessionLookup = (db: Database) =>
  prepareLookup(db, { user: users, session: sessions }, sessions.id, (query) =>
    query.from(sessions).innerJoin(users, eq(users.id, sessions.userId)),
  )

/** Finds the caller of a token if its session is live. */
export async function findCaller(
  { findSession, now }: Context,
  { userId, payload, expiresAt }: AccessToken,
): Promise<Caller | undefined> {
  const { sid: sessionId } = payload
  if (!isId(sessionId)) return undefined
  const found = await findSession(sessionId)
  if (found?.user.id !== userId || !isLive(found.session, now())) return undefined
  return callerOf(found, expiresAt)
}

/** The caller with a session. @param expiresAt when what they sent expires, in seconds since 1970 */
export function callerOf({ user, session }: { user: User; session: Session }, expiresAt: number): Caller {
  const { id: sessionId, createdAt, amr } = session
  return { user, sessionId, authenticatedAt: createdAt.getTime(), amr, expiresAt }
}

/**
 * Locks the row of a caller before a change, and checks again that they still have access.
 * @throws ApiError invalid_token if the user was deactivated or the session ended in the meantime
 */
export async function lockCaller({ now }: Context, tx: Transaction, caller: Caller): Promise<User> {
  const user = await lockUser(tx, caller.user.id)
  // Only now: the session as it is once the user's row is locked.
  const [session] = await tx.select().from(sessions).where(eq(sessions.id, caller.sessionId))
  if (!user?.isActive || !session || !isLive(session, now())) throw new ApiError('invalid_token')
  return user
}
