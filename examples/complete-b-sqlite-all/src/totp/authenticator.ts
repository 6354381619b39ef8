import { randomBytes } from 'node:crypto'
import { renderSVG } from 'uqr'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { totpSecrets } from '../db/schema/totp.ts'
import { queueEmail, shownName } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { ringOf, totp } from '../factors/totp.ts'
import { seal, unseal } from '../keys.ts'
import { uncountAttempts } from '../limits/attempts.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { endSessions } from '../sessions/sessions.ts'
import { brandVariables } from '../settings/theme.ts'
import { askForEmailedToken, recordFactor, takeEmailedToken } from '../sign-in/enrolments.ts'
import { factorRemovedNotice, removeFactors } from '../sign-in/factors.ts'
import { countCode, type Proof, proveCode } from '../sign-in/prove.ts'
import { committed, deleteToken, endTokens, findToken, hashToken, insertToken } from '../sign-in/tokens.ts'
import { base32, stepOf } from './codes.ts'

/** A secret that is not confirmed belongs to a session, and ends with it: it is a token that no one sends. */
const purpose = 'totp'
const lifetimeMs = 10 * 60_000

const findUnconfirmed = (ctx: Context, tx: Transaction, { sessionId }: Caller) =>
  findToken(ctx, tx, purpose, [tokenOf(sessionId)])

const tokenOf = (sessionId: number) => hashToken(`${purpose} ${sessionId}`)

/** @throws ApiError totp_already_on */
async function requireOff(tx: Transaction, userId: number): Promise<void> {
  if ((await totp.count(tx, userId)) > 0) throw new ApiError('totp_already_on')
}

/**
 * Creates a secret for the app of a caller. It replaces the last one of the session, and changes nothing until it is confirmed.
 * @returns the body of the response
 * @throws ApiError totp_already_on, invalid_token
 */
export async function setUpTotp(ctx: Context, caller: Caller) {
  const secret = base32(randomBytes(20))
  const { username } = await ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    await requireOff(tx, user.id)
    const last = await findUnconfirmed(ctx, tx, caller)
    if (last) await deleteToken(tx, last)
    const { sessionId } = caller
    const data = { secret: seal(secret, ringOf(ctx)) }
    await insertToken(ctx, tx, { token: tokenOf(sessionId), purpose, user, sessionId, data, lifetimeMs })
    return user
  })
  const issuer = encodeURIComponent(brandVariables(ctx.config).app_name)
  const settings = `secret=${secret}&issuer=${issuer}&algorithm=SHA1&digits=6&period=30`
  const url = `otpauth://totp/${issuer}:${encodeURIComponent(username)}?${settings}`
  return { secret, otpauth_url: url, qr_svg: renderSVG(url) }
}

/**
 * Turns the app of a caller on, and ends their other sessions, which have not proved it.
 * @returns recovery codes if they have none
 * @throws ApiError totp_already_on, invalid_code, user_not_verified, emailed_token_required, invalid_or_expired_token,
 * invalid_token, too_many_requests
 */
export const confirmTotp = (
  ctx: Context,
  caller: Caller,
  { code, emailedToken }: { code: string; emailedToken: string | undefined },
): Promise<string[]> =>
  committed(ctx, async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    await requireOff(tx, user.id)
    const unconfirmed = await findUnconfirmed(ctx, tx, caller)
    if (!unconfirmed) return new ApiError('invalid_code')
    if (emailedToken === undefined) return askForEmailedToken(ctx, tx, user, caller)
    const keys = await countCode(ctx, tx, user)
    const { secret } = JSON.parse(unconfirmed.data)
    const lastStep = stepOf(unseal(secret, ringOf(ctx)), code, ctx.now())
    if (lastStep === undefined) return new ApiError('invalid_code')
    await uncountAttempts(tx, keys)
    await takeEmailedToken(ctx, tx, user, caller, emailedToken)
    await tx.insert(totpSecrets).values({ userId: user.id, secret, lastStep, createdAt: new Date(ctx.now()) })
    await endSessions(ctx, tx, user.id, { but: caller.sessionId })
    await queueEmail(ctx, tx, {
      to: user.email,
      userId: user.id,
      template: 'totp_on',
      variables: { username: shownName(user) },
    })
    return recordFactor(ctx, tx, caller, 'otp')
  })

/** Turns the app of a caller off. @throws ApiError invalid_code, invalid_token, too_many_requests */
export const disableTotp = (ctx: Context, caller: Caller, proof: Proof): Promise<void> =>
  committed(ctx, async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    const isOn = (await totp.count(tx, user.id)) > 0
    if (!isOn || !(await proveCode(ctx, tx, user, proof))) return new ApiError('invalid_code')
    await removeFactors(tx, user.id, { which: [totp] })
    await endTokens(ctx, tx, user.id)
    await queueEmail(ctx, tx, factorRemovedNotice(user))
  })
