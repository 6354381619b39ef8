import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { type EmailChange, endUndoTokens, lockChange } from '../email/change-tokens.ts'
import { emailUser, queueEmail } from '../email/outbox.ts'
import { createEmailToken, replaceEmailToken } from '../email/tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import { forgetClients } from '../limits/login-limit.ts'
import { unusablePassword } from '../passwords/hashes.ts'
import { noPendingEmail, rejectReservedEmail } from '../users/emails.ts'
import { type User, type UserChange, updateUser } from '../users/users.ts'
import { restoredEmail } from './emails.ts'
import { endAccess } from './end-access.ts'

/**
 * Restores a previous address with the token in the notice of its change. Issues no token that would undo this again.
 * @returns the updated user
 * @throws ApiError invalid_or_expired_token
 */
export const undoEmailChange = (ctx: Context, text: string): Promise<User> =>
  ctx.db.transaction(async (tx) => {
    const found = await lockChange(ctx, tx, { token: text })
    if (!found) throw new ApiError('invalid_or_expired_token')
    return undoChange(ctx, tx, found.user, found.change)
  })

/**
 * Undoes a change for a user whose row is locked, and removes the ways in that a thief may have added.
 * @throws ApiError invalid_or_expired_token
 */
export async function undoChange(ctx: Context, tx: Transaction, user: User, change: EmailChange) {
  const since = await endUndoTokens(tx, change)
  for (const remove of ctx.waysIn) await remove(tx, user.id, since)
  return restoreEmail(ctx, tx, user, change.email)
}

/**
 * Gives an account back to the owner of an address, and locks everyone else out: no session, password or token from before
 * is valid, and a password reset is emailed to the address. The user's row is locked.
 * @throws ApiError invalid_or_expired_token if the address belongs to another user now
 */
export async function restoreEmail(ctx: Context, tx: Transaction, user: User, email: string): Promise<User> {
  await endAccess(ctx, tx, user.id)
  // A thief may have set the password, and would log in with it.
  const restored = await setProvedEmail(tx, user, email, ctx.now(), { hashedPassword: unusablePassword })
  await forgetClients(tx, user.id)
  // Otherwise a thief who reads the other mailbox could take the account unnoticed.
  if (user.isVerified && user.email !== email) await emailUser(ctx, tx, user, 'email_changed')
  const { text, hash } = createEmailToken(ctx.keys.emailTokens)
  await replaceEmailToken(ctx, tx, restored, 'reset', hash)
  await queueEmail(ctx, tx, restoredEmail(restored, text, ctx.config))
  return restored
}

/**
 * Gives a user whose row is locked an address that they have proved, and ends the change that waits.
 * @throws ApiError invalid_or_expired_token if the address is taken. Rolls back, so that the token stays valid
 */
export async function setProvedEmail(
  tx: Transaction,
  { id }: User,
  email: string,
  now: number,
  change: UserChange = {},
): Promise<User> {
  const proved = { email, isVerified: true, unclaimedSince: null, ...noPendingEmail, ...change }
  try {
    const user = await updateUser(tx, id, proved)
    await rejectReservedEmail(tx, user, now)
    return user
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError('invalid_or_expired_token')
    throw error
  }
}
