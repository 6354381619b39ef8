import type { Context } from '../context.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Client } from '../limits/address-limit.ts'
import { checkPassword, giveBack } from '../passwords/check-password.ts'
import { type Caller, isMfa } from '../sessions/caller.ts'
import type { User } from '../users/users.ts'

/** How long a login counts as recent, in milliseconds. */
const recentLoginMs = 10 * 60_000

/** @throws ApiError reauthentication_required if the user logged in too long ago */
export async function requireRecentLogin(ctx: Context, caller: Caller): Promise<void> {
  if (ctx.now() - caller.authenticatedAt > recentLoginMs) throw new ApiError('reauthentication_required')
  // A thief may know the password: it must not make up for the second factor.
  if (!isMfa(caller.amr) && (await ctx.hasSecondFactor(ctx.db.read, caller.user.id)))
    throw new ApiError('reauthentication_required')
}

/**
 * Checks the password of a caller.
 * @returns their row at that time
 * @throws ApiError wrong_current_password, reauthentication_required, too_many_requests, unavailable
 */
export async function confirmPassword(
  ctx: Context,
  caller: Caller,
  password: string,
  client: Client,
): Promise<User> {
  const { user } = caller
  if (await ctx.hasSecondFactor(ctx.db.read, user.id)) await requireRecentLogin(ctx, caller)
  // By username: unlike the email it never changes, so no change can reset the count.
  const guess = { name: user.username, password, client, isLoggedIn: true }
  const right = await checkPassword(ctx, guess, user)
  if (!right) throw new ApiError('wrong_current_password')
  await giveBack(ctx, right)
  return right.user
}

/**
 * Requires the password or a recent login, for what a stolen token or an unlocked browser must not be enough for (ASVS 5.0
 * section 7.5.1).
 * @throws ApiError wrong_current_password, reauthentication_required, too_many_requests, unavailable
 */
export async function reauthenticate(
  ctx: Context,
  caller: Caller,
  password: string | undefined,
  client: Client,
): Promise<void> {
  if (password === undefined) await requireRecentLogin(ctx, caller)
  else await confirmPassword(ctx, caller, password, client)
}
