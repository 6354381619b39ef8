import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailUser } from '../email/outbox.ts'
import { findEmailToken, redeemEmailToken } from '../email/tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { type User, updateUser } from '../users/users.ts'
import { setPassword } from './end-access.ts'

/**
 * Resets the password of a user with an emailed token.
 * @param address IP address of the client
 * @returns the updated user
 * @throws ApiError invalid_or_expired_token, unavailable, too_many_requests, or weak_password (the token stays valid)
 */
export async function resetPassword(
  ctx: Context,
  text: string,
  password: string,
  address: string,
): Promise<User> {
  const { credentials, db } = ctx
  // Checked before hashing, so that a made-up token does not cost a hash.
  const token = await findEmailToken(ctx, db.read, 'reset', text)
  if (!token) throw new ApiError('invalid_or_expired_token')
  const hashedPassword = await credentials.hash(password, address)
  return db.transaction(async (tx) => {
    const user = await redeemEmailToken(ctx, tx, 'reset', text)
    credentials.validateNew({ password, user, field: 'new_password' })
    if (!user.isVerified) await takeOver(ctx, tx, user)
    // The token was emailed to this address.
    await updateUser(tx, user.id, { isVerified: true, unclaimedSince: null })
    await ctx.onReset?.(ctx, tx, user, text, token.createdAt)
    return replacePassword(ctx, tx, user, hashedPassword)
  })
}

/** The first proof of an address: whoever registered it may be a stranger, and nothing of theirs must let them in. */
export async function takeOver(ctx: Context, tx: Transaction, user: User): Promise<void> {
  await setPassword(ctx, tx, user, unusablePassword)
  for (const remove of ctx.waysIn) await remove(tx, user.id)
}

/** `setPassword`, with an email that tells the user (ASVS 5.0 section 6.3.7). */
export async function replacePassword(
  ctx: Context,
  tx: Transaction,
  former: User,
  hashedPassword: string,
): Promise<User> {
  const user = await setPassword(ctx, tx, former, hashedPassword)
  await emailUser(ctx, tx, user, 'password_changed')
  return user
}
