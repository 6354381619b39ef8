import { and, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { signInTokens } from '../db/schema/sign-in-tokens.ts'
import { giveUpEmails, queueEmail, shownName } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { deriveRing } from '../keys.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { sessions } from '../sessions/store.ts'
import type { User } from '../users/users.ts'
import { codeHashes, createCode } from './codes.ts'
import { proveCode } from './prove.ts'
import { countRecoveryCodes, createRecoveryCodes } from './recovery-codes.ts'
import { committed, deleteToken, endTokens, findToken, insertToken, restsOn } from './tokens.ts'

/**
 * What adding a factor takes beside a recent login: a verified address, and a code emailed to it. A thief of a token could
 * otherwise lock the owner out for good, because a reset of the password keeps factors.
 */

const purpose = 'emailed'
const lifetimeSeconds = 10 * 60

const ringOf = ({ config }: Context) => deriveRing(config.accessTokens, 'emailed codes')

/**
 * Emails a code to a user whose row is locked, for this session. It replaces the last one.
 * @returns the refusal that asks for it: commit the transaction
 * @throws ApiError user_not_verified, too_many_requests
 */
export async function askForEmailedToken(
  ctx: Context,
  tx: Transaction,
  user: User,
  { sessionId }: Caller,
): Promise<ApiError> {
  if (!user.isVerified) throw new ApiError('user_not_verified')
  const code = createCode(16, 4)
  const [token] = codeHashes(code, ringOf(ctx))
  const isLast = and(eq(signInTokens.purpose, purpose), eq(signInTokens.sessionId, sessionId))
  await tx.delete(signInTokens).where(and(eq(signInTokens.userId, user.id), isLast))
  await giveUpEmails(ctx, tx, user.id, ['sign_in'])
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
  return new ApiError('emailed_token_required')
}

/**
 * Consumes the emailed code of this user and session, in the transaction of what it allows: it is unused if that fails.
 * @throws ApiError user_not_verified, invalid_or_expired_token
 */
export async function takeEmailedToken(
  ctx: Context,
  tx: Transaction,
  user: User,
  { sessionId }: Caller,
  text: string,
): Promise<void> {
  if (!user.isVerified) throw new ApiError('user_not_verified')
  const token = await findToken(ctx, tx, purpose, codeHashes(text, ringOf(ctx)))
  if (token?.sessionId !== sessionId || !restsOn(token, user)) throw new ApiError('invalid_or_expired_token')
  await deleteToken(tx, token)
}

/**
 * Records that a session has proved a new factor, which is a second one beside its login.
 * @param factor its `amr` (RFC 8176)
 * @returns recovery codes if the user has none
 */
export async function recordFactor(
  ctx: Context,
  tx: Transaction,
  { user, sessionId, amr }: Caller,
  factor: string,
): Promise<string[]> {
  const proved = [...new Set([...(amr ?? 'pwd').split(' '), factor, 'mfa'])].join(' ')
  await tx.update(sessions).set({ amr: proved }).where(eq(sessions.id, sessionId))
  return (await countRecoveryCodes(tx, user.id)) > 0 ? [] : createRecoveryCodes(ctx, tx, user.id)
}

/** @returns the new recovery codes of a caller; the old ones are void @throws ApiError invalid_code, invalid_token, too_many_requests */
export const renewRecoveryCodes = (ctx: Context, caller: Caller, code: string): Promise<string[]> =>
  committed(ctx, async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    if (!(await proveCode(ctx, tx, user, { code }))) return new ApiError('invalid_code')
    await endTokens(ctx, tx, user.id)
    return createRecoveryCodes(ctx, tx, user.id)
  })
