import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { totpSecrets } from '../db/schema/totp.ts'
import { emailUser } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { totp } from '../factors/totp.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { endSessions } from '../sessions/sessions.ts'
import { sessions } from '../sessions/store.ts'
import { brandVariables } from '../settings/theme.ts'
import {
  recordFactor,
  requireEmailedToken,
  requireVerified,
  takeEmailedToken,
} from '../sign-in/enrolments.ts'
import { removeFactors } from '../sign-in/factors.ts'
import { checkProof, type Proof, prove, recordPass } from '../sign-in/prove.ts'
import { deleteToken, endTokens, findToken, hashToken, insertToken } from '../sign-in/tokens.ts'
import { base32, stepOf } from './codes.ts'
import { createRecoveryCodes } from './recovery-codes.ts'
import { openSecrets, sealSecrets } from './secrets.ts'

/** A secret that is not confirmed belongs to a session, and ends with it: it is a token that no one sends. */
const purpose = 'totp'
/** As long as a recent login and the emailed code that it asked for. */
const lifetimeMs = 40 * 60_000

const findUnconfirmed = (ctx: Context, tx: Transaction, { sessionId }: Caller) =>
  findToken(ctx, tx, purpose, [tokenOf(sessionId)])

const tokenOf = (sessionId: number) => hashToken(`${purpose} ${sessionId}`)

/** @throws ApiError totp_already_on */
async function requireOff(db: Reader, userId: number): Promise<void> {
  if ((await totp.count(db, userId)) > 0) throw new ApiError('totp_already_on')
}

/**
 * Creates a secret for the app of a caller. It replaces the last one of the session, and changes nothing until it is confirmed.
 * @returns the body of the response
 * @throws ApiError totp_already_on, user_not_verified, invalid_token
 */
export async function setUpTotp(ctx: Context, caller: Caller) {
  const secret = base32(randomBytes(20))
  const { username } = await ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    requireVerified(user)
    await requireOff(tx, user.id)
    const last = await findUnconfirmed(ctx, tx, caller)
    if (last) await deleteToken(tx, last)
    const { sessionId } = caller
    const recoveryKey = randomBytes(32).toString('base64url')
    const data = { sealed: sealSecrets(ctx, { secret, recoveryKey }) }
    await insertToken(ctx, tx, { token: tokenOf(sessionId), purpose, user, sessionId, data, lifetimeMs })
    return user
  })
  const issuer = encodeURIComponent(brandVariables(ctx.config).app_name)
  const settings = `secret=${secret}&issuer=${issuer}&algorithm=SHA1&digits=6&period=30`
  const url = `otpauth://totp/${issuer}:${encodeURIComponent(username)}?${settings}`
  const { renderSVG } = await import('uqr')
  return { secret, otpauth_url: url, qr_svg: renderSVG(url) }
}

/**
 * Turns the app of a caller on, and ends their other sessions, which have not proved it.
 * @returns the recovery codes
 * @throws ApiError totp_already_on, invalid_code, invalid_token, too_many_requests, and those of `requireEmailedToken`
 */
export async function confirmTotp(
  ctx: Context,
  caller: Caller,
  { emailedToken, ...proof }: Proof & { emailedToken: string | undefined },
): Promise<string[]> {
  await requireOff(ctx.db.read, caller.user.id)
  const emailed = await requireEmailedToken(ctx, caller, emailedToken)
  const checked = await checkProof(ctx, caller.user, proof)
  return ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    await requireOff(tx, user.id)
    const unconfirmed = await findUnconfirmed(ctx, tx, caller)
    if (!unconfirmed) throw new ApiError('invalid_code')
    const { sealed } = JSON.parse(unconfirmed.data)
    const lastStep = stepOf(openSecrets(ctx, sealed).secret, proof.code ?? '', ctx.now())
    if (lastStep === undefined) throw new ApiError('invalid_code')
    await takeEmailedToken(ctx, tx, user, caller, emailed)
    const createdAt = new Date(ctx.now())
    await tx.insert(totpSecrets).values({ userId: user.id, secret: sealed, lastStep, createdAt })
    // With what waits for the user: a passkey that was begun before would need no code.
    await endSessions(ctx, tx, user.id, { but: caller.sessionId })
    await emailUser(ctx, tx, user, 'totp_on')
    await recordFactor(tx, caller, 'otp')
    await recordPass(ctx, tx, user, proof, checked)
    return createRecoveryCodes(ctx, tx, user.id)
  })
}

/**
 * Turns the app of a caller off. A session by a recovery code needs no other one: the app may be lost.
 * @throws ApiError invalid_code, invalid_token, too_many_requests
 */
export async function disableTotp(ctx: Context, caller: Caller, proof: Proof): Promise<void> {
  const checked = await checkProof(ctx, caller.user, proof)
  await ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    if ((await totp.count(tx, user.id)) === 0) throw new ApiError('invalid_code')
    const isProved = (await isByRecoveryCode(tx, caller)) || (await prove(ctx, tx, user, proof, checked))
    if (!isProved) throw new ApiError('invalid_code')
    await removeFactors(tx, user.id, { which: [totp] })
    await endTokens(ctx, tx, user.id)
    await emailUser(ctx, tx, user, 'factor_removed')
  })
}

async function isByRecoveryCode(tx: Transaction, { sessionId }: Caller): Promise<boolean> {
  const [session] = await tx.select().from(sessions).where(eq(sessions.id, sessionId))
  return session?.amr?.split(' ').includes('recovery') ?? false
}

/** @returns the new recovery codes of a caller; the old ones are void @throws ApiError invalid_code, invalid_token, too_many_requests */
export async function renewRecoveryCodes(ctx: Context, caller: Caller, proof: Proof): Promise<string[]> {
  const checked = await checkProof(ctx, caller.user, proof)
  return ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    if (!(await prove(ctx, tx, user, proof, checked))) throw new ApiError('invalid_code')
    await endTokens(ctx, tx, user.id)
    return createRecoveryCodes(ctx, tx, user.id)
  })
}
