import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { queueEmail, shownName } from '../email/outbox.ts'
import { findToken, redeemEmailToken } from '../email/tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import { forgetClients, forgetLogins } from '../limits/login-limit.ts'
import { endAccess } from '../sessions/sessions.ts'
import { canonicalLogin } from '../users/names.ts'
import { type User, updateUser } from '../users/users.ts'

/**
 * Resets the password of a user with an emailed token.
 * @param address IP address of the client
 * @returns the updated user
 * @throws ApiError invalid_or_expired_token, unavailable, too_many_requests, or that of a password validator (the token
 * stays valid)
 */
export async function resetPassword(
  ctx: Context,
  text: string,
  password: string,
  address: string,
): Promise<User> {
  const { credentials, db } = ctx
  // Checked before hashing, so that a made-up token does not cost a hash.
  if (!(await findToken(ctx, db.read, 'reset', text))) throw new ApiError('invalid_or_expired_token')
  const hashedPassword = await credentials.hash(password, address)
  return db.transaction(async (tx) => {
    const user = await redeemEmailToken(ctx, tx, 'reset', text)
    credentials.validateNew({ password, user, field: 'new_password' })
    // The token was emailed to this address. After a first proof, what came before it is void as well.
    await updateUser(tx, user.id, { isVerified: true, unclaimedSince: null })
    return replacePassword(ctx, tx, user, hashedPassword)
  })
}

/**
 * Sets a new password for a user whose row is locked. Ends all their sessions and revokes emailed tokens, so that a stolen
 * password is useless (ASVS 5.0 section 7.4.3). Emails a notice to the user (section 6.3.7).
 */
export async function replacePassword(
  ctx: Context,
  tx: Transaction,
  { id }: User,
  hashedPassword: string,
): Promise<User> {
  const user = await updateUser(tx, id, { hashedPassword })
  // The user can log in immediately, even after too many logins.
  await forgetLogins(tx, id, [canonicalLogin(user.username), user.email])
  await endAccess(ctx, tx, id)
  await forgetClients(tx, id)
  await queueEmail(ctx, tx, {
    to: user.email,
    userId: user.id,
    template: 'password_changed',
    variables: { username: shownName(user) },
  })
  return user
}
