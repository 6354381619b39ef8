import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import {
  cancelEmailChange,
  findByPendingToken,
  findChangeFrom,
  issueUndoToken,
  renewUndoTokens,
} from '../email/change-tokens.ts'
import { emailUser, queueEmail, withoutLinks } from '../email/outbox.ts'
import { createEmailToken, revokeEmailTokens } from '../email/tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { noPendingEmail, rejectTakenEmail } from '../users/emails.ts'
import { type User, updateUser } from '../users/users.ts'
import { confirmationEmail, undoEmail } from './emails.ts'
import { setProvedEmail, undoChange } from './restore-email.ts'

/**
 * Emails a token to the new address of a caller, and a notice to the current one. The address stays as it is until the new
 * one has answered: a mistyped or a stranger's address gets no account, and a thief of a token cannot move the account
 * before the owner hears of it. Replaces an earlier request.
 * @returns the user
 * @throws ApiError already_registered, too_many_requests if the new address has had enough emails, or invalid_token if the
 * caller has lost access in the meantime
 */
export async function changeEmail(ctx: Context, caller: Caller, email: string): Promise<User> {
  const { config, db, now } = ctx
  return db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    await rejectTakenEmail(tx, user, email, now())
    await cancelEmailChange(ctx, tx, user.id)
    // A confirmation may have made it theirs since the row was read.
    if (email === user.email) return { ...user, ...noPendingEmail }
    // A typing mistake at the registration: the stranger at that address must not verify it any more.
    if (!user.isVerified) await revokeEmailTokens(ctx, tx, user.id, ['verification'])
    const { text, hash } = createEmailToken(ctx.keys.emailTokens)
    const requested = await updateUser(tx, user.id, {
      pendingEmail: email,
      pendingEmailToken: hash,
      pendingEmailSession: caller.sessionId,
      pendingEmailExpiresAt: new Date(now() + config.email.verificationSeconds * 1000),
    })
    const confirmation = confirmationEmail(user, email, text, config)
    if (await findChangeFrom(ctx, tx, email)) confirmation.template = 'confirm_former_email'
    await queueEmail(ctx, tx, confirmation)
    // ASVS 5.0 section 6.3.7: an owner whose session was stolen has time to cancel it.
    await emailUser(ctx, tx, user, 'email_change_requested', { new_email: withoutLinks(email) })
    return requested
  })
}

/**
 * Cancels the request of a caller who asks for the address that they have.
 * @returns the user
 * @throws ApiError invalid_token, or reauthentication_required if it is no longer theirs: then the call would be a change
 */
export async function keepEmail(ctx: Context, caller: Caller, email: string): Promise<User> {
  return ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    // A confirmation may have changed it since the row was read.
    if (user.email !== email) throw new ApiError('reauthentication_required')
    await cancelEmailChange(ctx, tx, user.id)
    return { ...user, ...noPendingEmail }
  })
}

/**
 * Changes the address of a user with the token that was emailed to the new one. Requires their login: someone who only
 * reads that mailbox must not join an account, nor hand it over. A change back to a former address is an undo: a thief who
 * was thrown out by the change must not keep what they added.
 * @returns the user before and after, and whether it was an undo
 * @throws ApiError invalid_or_expired_token, not_authenticated
 */
export async function confirmEmailChange(ctx: Context, tx: Transaction, caller: Caller | null, text: string) {
  const { config, now } = ctx
  const asked = await findByPendingToken(ctx, tx, text)
  if (!asked) throw new ApiError('invalid_or_expired_token')
  if (!caller) throw new ApiError('not_authenticated')
  const before = await lockCaller(ctx, tx, caller)
  // Again, now that no concurrent use, cancellation or further request can change it.
  const found = await findByPendingToken(ctx, tx, text)
  if (found?.id !== before.id || found.pendingEmail === null) throw new ApiError('invalid_or_expired_token')
  const change = await findChangeFrom(ctx, tx, found.pendingEmail)
  if (change?.userId === before.id)
    return { before, after: await undoChange(ctx, tx, before, change), isUndo: true }
  await revokeEmailTokens(ctx, tx, before.id)
  const after = await setProvedEmail(tx, before, found.pendingEmail, now())
  await renewUndoTokens(ctx, tx, before)
  // An address that was never verified may be a stranger's.
  if (!before.isVerified) await emailUser(ctx, tx, before, 'email_changed')
  else {
    const undo = await issueUndoToken(ctx, tx, before, before.email)
    await queueEmail(ctx, tx, undoEmail(before, undo, config))
  }
  return { before, after, isUndo: false }
}
