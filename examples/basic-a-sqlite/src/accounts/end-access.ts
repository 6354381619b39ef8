import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { forgetClients, forgetLogins } from '../limits/login-limit.ts'
import { canonicalLogin } from '../users/names.ts'
import { type User, updateUser } from '../users/users.ts'

/** Ends what `endsWithAccess` of the context lists, for a user whose row is locked: all that lets them in. */
export async function endAccess(ctx: Context, tx: Transaction, userId: number): Promise<void> {
  for (const end of ctx.endsWithAccess) await end(ctx, tx, userId)
}

/**
 * Sets a new password for a user whose row is locked, and revokes all their access, so that a stolen password is useless
 * (ASVS 5.0 section 7.4.3). They can log in immediately, even after too many logins.
 */
export async function setPassword(
  ctx: Context,
  tx: Transaction,
  { id }: User,
  hashedPassword: string,
): Promise<User> {
  const user = await updateUser(tx, id, { hashedPassword })
  await forgetLogins(tx, id, [canonicalLogin(user.username), user.email])
  await forgetClients(tx, id)
  await endAccess(ctx, tx, id)
  return user
}
