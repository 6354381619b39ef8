import type { Context } from '../context.ts'
import { ApiError } from '../errors/api-error.ts'
import { checkPassword, giveBack } from '../passwords/check-password.ts'
import type { Caller } from '../sessions/caller.ts'
import type { User } from '../users/users.ts'

/** How long a login counts as recent, in milliseconds. */
const recentLoginMs = 10 * 60_000

/** @throws ApiError reauthentication_required if the user logged in too long ago */
export function requireRecentLogin({ now }: Context, caller: Caller): void {
  if (now() - caller.authenticatedAt > recentLoginMs) throw new ApiError('reauthentication_required')
}

/**
 * Checks the password of a caller.
 * @param address IP address of the client
 * @returns their row at that time
 * @throws ApiError wrong_current_password, too_many_requests, unavailable
 */
export async function confirmPassword(
  ctx: Context,
  { user }: Caller,
  password: string,
  address: string,
): Promise<User> {
  // By username: unlike the email it never changes, so no change can reset the count.
  const guess = { name: user.username, user, isLoggedIn: true, password, address }
  const right = await checkPassword(ctx, guess)
  if (!right) throw new ApiError('wrong_current_password')
  await giveBack(ctx, right.failures)
  return right.user
}

/**
 * Requires the password or a recent login, for what a stolen token or an unlocked browser must not be enough for (ASVS 5.0
 * section 7.5.1).
 * @param address IP address of the client
 * @throws ApiError wrong_current_password, reauthentication_required, too_many_requests, unavailable
 */
export async function reauthenticate(
  ctx: Context,
  caller: Caller,
  password: string | undefined,
  address: string,
): Promise<void> {
  if (password === undefined) requireRecentLogin(ctx, caller)
  else await confirmPassword(ctx, caller, password, address)
}
