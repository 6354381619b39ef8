import { and, eq } from 'drizzle-orm'
import { requireRecentLogin } from '../accounts/reauthenticate.ts'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { passkeys } from '../db/schema/passkeys.ts'
import { emailUser, withoutLinks } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { requireEmailedToken, takeEmailedToken } from '../sign-in/enrolments.ts'
import { factorsOf, hasFactor } from '../sign-in/factors.ts'
import { checkProof, type Proof, prove } from '../sign-in/prove.ts'
import { endTokens } from '../sign-in/tokens.ts'
import type { User } from '../users/users.ts'
import type { Passkey } from './verify.ts'

const ofUser = (id: number, userId: number) => and(eq(passkeys.id, id), eq(passkeys.userId, userId))

/** Gives a passkey of a caller another name. @throws ApiError not_found, invalid_token */
export const renamePasskey = (ctx: Context, caller: Caller, id: number, name: string): Promise<Passkey> =>
  ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    const [renamed] = await tx.update(passkeys).set({ name }).where(ofUser(id, user.id)).returning()
    if (!renamed) throw new ApiError('not_found')
    return renamed
  })

/**
 * Removes a passkey of a caller, with a proof of their second factor or, without one, an emailed token.
 * @throws ApiError not_found, last_sign_in_method, invalid_code, user_not_verified, emailed_token_required,
 * invalid_or_expired_token, reauthentication_required, invalid_token, too_many_requests
 */
export async function removePasskey(
  ctx: Context,
  caller: Caller,
  id: number,
  emailedToken: string | undefined,
  proof: Proof,
): Promise<void> {
  const { read } = ctx.db
  // Before the proof, so that it costs none.
  await requireRemovable(read, caller.user, id)
  const isAsked = await hasFactor(read, caller.user.id)
  if (isAsked) await requireRecentLogin(ctx, caller)
  const emailed = isAsked ? undefined : await requireEmailedToken(ctx, caller, emailedToken)
  const checked = isAsked ? await checkProof(ctx, caller.user, proof) : { keys: [] }
  await ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    // Again, under the lock: two removals at once must not take the last two ways in.
    const { name } = await requireRemovable(tx, user, id)
    // A second factor that came meanwhile has ended the emailed token.
    if (emailed !== undefined) await takeEmailedToken(ctx, tx, user, caller, emailed)
    else if (!(await prove(ctx, tx, user, proof, checked))) throw new ApiError('invalid_code')
    await tx.delete(passkeys).where(ofUser(id, user.id))
    await endTokens(ctx, tx, user.id)
    await emailUser(ctx, tx, user, 'passkey_removed', { name: withoutLinks(name) })
  })
}

/** @throws ApiError not_found, last_sign_in_method: emails could let the user in, but so they could a thief of the mailbox */
async function requireRemovable(db: Reader | Transaction, user: User, id: number): Promise<Passkey> {
  const [passkey] = await db.select().from(passkeys).where(ofUser(id, user.id))
  if (!passkey) throw new ApiError('not_found')
  const ways = (await factorsOf(db, user.id)).filter(({ factor }) => factor.logsIn)
  const count = ways.reduce((sum, way) => sum + way.count, Number(user.hashedPassword !== unusablePassword))
  if (count < 2) throw new ApiError('last_sign_in_method')
  return passkey
}
