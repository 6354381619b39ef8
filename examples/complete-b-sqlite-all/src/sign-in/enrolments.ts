import { and, eq, gt } from 'drizzle-orm'
import { requireRecentLogin } from '../accounts/reauthenticate.ts'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { signInTokens } from '../db/schema/sign-in-tokens.ts'
import { queueEmail, shownName } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { deriveRing } from '../keys.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { sessions } from '../sessions/store.ts'
import type { User } from '../users/users.ts'
import { codeHashes, createCode } from './codes.ts'
import { deleteToken, findToken, giveUpCodes, insertToken, restsOn, type SignInToken } from './tokens.ts'

/**
 * What adding a factor takes beside a recent login: a verified address, and a code emailed to it. A thief of a token could
 * otherwise lock the owner out for good, because a reset of the password keeps factors.
 */

const purpose = 'emailed'
const lifetimeSeconds = 30 * 60

const ringOf = ({ config }: Context) => deriveRing(config.accessTokens, 'emailed codes')

/** @throws ApiError user_not_verified: the address may be a stranger's, who would read what is emailed */
export function requireVerified({ isVerified }: User): void {
  if (!isVerified) throw new ApiError('user_not_verified')
}

/**
 * Requires the emailed code, before anything else is checked: it is not used up. Without one it is sent, which takes a recent
 * login; typing it off may take longer.
 * @throws ApiError user_not_verified, emailed_token_required, invalid_or_expired_token, reauthentication_required,
 * too_many_requests
 */
export async function requireEmailedToken(
  ctx: Context,
  caller: Caller,
  text: string | undefined,
): Promise<string> {
  requireVerified(caller.user)
  if (text !== undefined) {
    await findEmailed(ctx, ctx.db.read, caller.user, caller, text)
    return text
  }
  await requireRecentLogin(ctx, caller)
  await ctx.db.transaction((tx) => sendToken(ctx, tx, caller))
  throw new ApiError('emailed_token_required')
}

async function sendToken(ctx: Context, tx: Transaction, caller: Caller): Promise<void> {
  const { enabled, mailIntervalSeconds } = ctx.config.rateLimits
  const { sessionId } = caller
  const user = await lockCaller(ctx, tx, caller)
  const ofSession = and(eq(signInTokens.purpose, purpose), eq(signInTokens.sessionId, sessionId))
  const isLive = gt(signInTokens.expiresAt, new Date(ctx.now()))
  const [last] = await tx.select().from(signInTokens).where(and(ofSession, isLive))
  const isNew = last && ctx.now() - last.createdAt.getTime() < mailIntervalSeconds * 1000
  if (enabled && isNew && restsOn(last, user)) return
  await tx.delete(signInTokens).where(and(eq(signInTokens.userId, user.id), ofSession))
  if (last) await giveUpCodes(ctx, tx, user.id)
  const code = createCode(16, 4)
  const [token] = codeHashes(code, ringOf(ctx))
  await insertToken(ctx, tx, { token, purpose, user, sessionId, lifetimeMs: lifetimeSeconds * 1000 })
  await queueEmail(ctx, tx, {
    to: user.email,
    userId: user.id,
    template: 'emailed_token',
    kind: 'sign_in',
    tokenSeconds: lifetimeSeconds,
    isRequired: true,
    variables: { username: shownName(user), code, expiration_minutes: String(lifetimeSeconds / 60) },
  })
}

/**
 * Consumes the emailed code of this user and session, in the transaction of what it allows: it is unused if that fails.
 * @throws ApiError user_not_verified, invalid_or_expired_token
 */
export async function takeEmailedToken(
  ctx: Context,
  tx: Transaction,
  user: User,
  caller: Caller,
  text: string,
): Promise<void> {
  requireVerified(user)
  await deleteToken(tx, await findEmailed(ctx, tx, user, caller, text))
}

async function findEmailed(
  ctx: Context,
  db: Reader,
  user: User,
  { sessionId }: Caller,
  text: string,
): Promise<SignInToken> {
  const token = await findToken(ctx, db, purpose, codeHashes(text, ringOf(ctx)))
  if (token?.sessionId !== sessionId || !restsOn(token, user)) throw new ApiError('invalid_or_expired_token')
  return token
}

/**
 * Records that a session has proved a new factor, which is a second one beside its login.
 * @param factor its `amr` (RFC 8176)
 */
export async function recordFactor(
  tx: Transaction,
  { sessionId, amr }: Caller,
  factor: string,
): Promise<void> {
  const earlier = (amr ?? 'pwd').split(' ').filter((method) => method !== 'recovery')
  const proved = [...new Set([...earlier, factor, 'mfa'])].join(' ').trim()
  await tx.update(sessions).set({ amr: proved }).where(eq(sessions.id, sessionId))
}
