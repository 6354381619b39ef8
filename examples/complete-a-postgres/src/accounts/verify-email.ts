import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { findEmailToken, redeemEmailToken } from '../email/tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { type User, updateUser } from '../users/users.ts'
import { confirmEmailChange } from './change-email.ts'

/**
 * Verifies that a user owns an email address, with the token of a registration, which seldom needs a login, or of a change.
 * @returns the user before and after, and whether it undid a change
 * @throws ApiError invalid_or_expired_token; not_authenticated if it needs the login of its user, and stays unused
 */
export const verifyEmail = (
  ctx: Context,
  caller: Caller | null,
  text: string,
): Promise<{ before: User; after: User; isUndo: boolean }> =>
  ctx.db.transaction(async (tx) => {
    const isRegistration = (await findEmailToken(ctx, tx, 'verification', text)) !== undefined
    const { before, after, isUndo } = isRegistration
      ? await verifyRegistration(ctx, tx, caller, text)
      : await confirmEmailChange(ctx, tx, caller, text)
    return { before, after, isUndo }
  })

async function verifyRegistration(ctx: Context, tx: Transaction, caller: Caller | null, text: string) {
  const before = await redeemEmailToken(ctx, tx, 'verification', text)
  if (await ctx.verifiesLoggedIn(tx, before.id)) {
    if (!caller) throw new ApiError('not_authenticated')
    if (caller.user.id !== before.id) throw new ApiError('invalid_or_expired_token')
    await lockCaller(ctx, tx, caller)
  }
  const after = await updateUser(tx, before.id, { isVerified: true, unclaimedSince: null })
  return { before, after, isUndo: false }
}
