import { createHash } from 'node:crypto'
import { openSession } from '../accounts/log-in.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailUser, withoutLinks } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { hasFactor } from '../sign-in/factors.ts'
import { committed, deleteToken, endTokens, findToken, hashToken, restsOn } from '../sign-in/tokens.ts'
import { lockUser, type User } from '../users/users.ts'
import { codePurpose, findIdentity, insertIdentity, type Waiting } from './answers.ts'

type Tokens = Extract<Awaited<ReturnType<typeof openSession>>, { tokens: unknown }>['tokens']

/**
 * Uses up a one-time code: opens the session of a login, or adds the identity that it is for. What proves the login, and the
 * state of the user, are read again under the lock of their row.
 * @param caller who adds: the callback cannot, because anybody may have opened it (Zitadel CVE-2026-105207)
 * @returns the user's id, with the body of the response, or what the login lacks; without either, an identity was added
 * @throws ApiError invalid_or_expired_token, invalid_credentials, not_authenticated, invalid_token, already_linked,
 * too_many_requests
 */
export const exchangeCode = (ctx: Context, caller: Caller | null, text: string, verifier: string) =>
  committed<{ userId: number; tokens?: Tokens; refused?: ApiError }>(ctx, async (tx) => {
    const find = () => findToken(ctx, tx, codePurpose, [hashToken(text)])
    const { userId } = (await find()) ?? {}
    const user = userId ? await lockUser(tx, userId) : undefined
    // Again, now that no other exchange can use it up.
    const code = await find()
    if (!code || !user) return new ApiError('invalid_or_expired_token')
    const waiting: Waiting = JSON.parse(code.data)
    const isLink = code.sessionId !== null
    // Unused: the front end may refresh its token.
    if (isLink && !caller) return new ApiError('not_authenticated')
    if (isLink && (caller?.user.id !== user.id || caller.sessionId !== code.sessionId))
      return new ApiError('invalid_token')
    await deleteToken(tx, code)
    if (challengeOf(verifier) !== waiting.challenge || !restsOn(code, user))
      return new ApiError('invalid_or_expired_token')
    return caller && isLink ? addIdentity(ctx, tx, caller, waiting) : logIn(ctx, tx, user, waiting)
  })

/** RFC 7636 section 4.6, S256. */
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

async function logIn(ctx: Context, tx: Transaction, user: User, { claims, client }: Waiting) {
  const identity = await findIdentity(tx, claims)
  if (identity?.userId !== user.id) return new ApiError('invalid_or_expired_token')
  // A provider proves no factor. Whoever has not verified their address has no password to come back with.
  const opened = await openSession(ctx, tx, { user, client, amr: '', admitsUnverified: true })
  return { userId: user.id, ...opened }
}

async function addIdentity(ctx: Context, tx: Transaction, caller: Caller, waiting: Waiting) {
  const { claims, provider, isProved } = waiting
  const user = await lockCaller(ctx, tx, caller)
  // A second factor that came meanwhile was not asked for.
  if (!isProved && (await hasFactor(tx, user.id))) return new ApiError('invalid_or_expired_token')
  await insertIdentity(ctx, tx, user, waiting)
  // With them the emailed token that allowed it.
  await endTokens(ctx, tx, user.id)
  const account = withoutLinks(claims.email ?? claims.subject.slice(0, 40))
  await emailUser(ctx, tx, user, 'identity_added', { provider, account })
  return { userId: user.id }
}
