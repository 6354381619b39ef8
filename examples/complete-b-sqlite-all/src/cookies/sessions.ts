import { and, eq } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { deriveRing } from '../keys.ts'
import type { Client } from '../limits/address-limit.ts'
import { type Caller, callerOf } from '../sessions/caller.ts'
import { firstToken, hashToken, readToken } from '../sessions/refresh-tokens.ts'
import { expiresAt } from '../sessions/sessions.ts'
import { isLive, revokeSessions, rotateSession, type Session, sessions } from '../sessions/store.ts'
import { lockUser } from '../users/users.ts'

/** How often the use of a session is written, in milliseconds. */
const writeEveryMs = 60_000

const hashCookie = (value: string): string => hashToken(`cookie ${value}`)

/**
 * Sessions of browsers, whose cookie stands for the tokens. Its value is written like a refresh token, with a key and a hash
 * of its own: neither is accepted as the other.
 */
export function createCookieSessions(ctx: Context) {
  const keys = deriveRing(ctx.config.accessTokens, 'session cookies')
  // Browsers send a cookie many times, and it always says the same. Whether its session is live is read on each request.
  const known = new LRUCache<string, { sessionId: number; hash: string }>({ max: 5_000 })

  function read(value: string) {
    const token = readToken(value, keys)
    const cookie = token && { sessionId: token.sessionId, hash: hashCookie(value) }
    if (cookie) known.set(value, cookie)
    return cookie
  }

  /** As a logout with a token: a change of the address that it asked for stays, because the email may be read later. */
  async function end(tx: Transaction, { user, sessionId }: Caller): Promise<void> {
    await lockUser(tx, user.id)
    await revokeSessions(tx, eq(sessions.id, sessionId))
  }

  return {
    /** The live session of a cookie, and its user. @returns undefined: it is over, or no session of a cookie */
    async find(value: string): Promise<{ caller: Caller; session: Session } | undefined> {
      const cookie = known.get(value) ?? read(value)
      const found = cookie && (await ctx.findSession(cookie.sessionId))
      if (!found || found.session.token !== cookie.hash || !isLive(found.session, ctx.now())) return undefined
      const { session } = found
      return { caller: callerOf(found, Math.floor(session.expiresAt.getTime() / 1000)), session }
    },

    /** Extends a session that is used, at most once a minute. */
    async keepAlive(session: Session, client: Client): Promise<void> {
      const { token, createdAt } = session
      if (ctx.now() - (session.rotatedAt ?? createdAt).getTime() < writeEveryMs) return
      const rotatedAt = new Date(ctx.now())
      const used = { client, token, rotatedAt, expiresAt: expiresAt(ctx, createdAt, rotatedAt) }
      await ctx.db.transaction((tx) => rotateSession(tx, session, used))
    },

    /**
     * Turns a session that has just begun, whose tokens nobody has seen, into one of a cookie, and ends that of the cookie
     * before: a thief of that one would stay logged in (session fixation).
     * @returns the value of the cookie
     * @throws ApiError invalid_token if the session has ended meanwhile
     */
    start: (refreshToken: string, before?: Caller): Promise<string> =>
      ctx.db.transaction(async (tx) => {
        const token = readToken(refreshToken, ctx.keys.refreshTokens)
        if (!token) throw new ApiError('invalid_token')
        const { sessionId } = token
        if (before && before.sessionId !== sessionId) await end(tx, before)
        const { text } = firstToken(sessionId, keys)
        const isIt = and(eq(sessions.id, sessionId), eq(sessions.token, hashToken(refreshToken)))
        const set = { token: hashCookie(text) }
        const changed = await tx.update(sessions).set(set).where(isIt).returning({ id: sessions.id })
        if (changed.length === 0) throw new ApiError('invalid_token')
        return text
      }),

    end: (caller: Caller): Promise<void> => ctx.db.transaction((tx) => end(tx, caller)),
  }
}
