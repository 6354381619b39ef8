import type { Caller } from '../access/access.ts'
import { ApiError } from '../errors/api-error.ts'
import type { PasswordCheck } from '../passwords/check-password.ts'
import type { User } from '../users/users.ts'

/** How long a login counts as recent, in milliseconds. */
const recentLoginMs = 10 * 60_000

/** @throws ApiError reauthentication_required if the user logged in too long ago */
export function requireRecentLogin(caller: Caller, now: number): void {
  if (now - caller.authenticatedAt > recentLoginMs) throw new ApiError('reauthentication_required')
}

/**
 * Checks the password of a caller. Resolves to their row at that time. Rejects with ApiError wrong_current_password,
 * too_many_requests or unavailable.
 */
export const createPasswordConfirmation =
  ({ checkPassword }: { checkPassword: PasswordCheck }) =>
  async ({ user }: Caller, password: string, address: string): Promise<User> => {
    // By username: unlike the email it never changes, so no change can reset the count.
    const guess = { name: user.username, user, isLoggedIn: true, password, address }
    const verified = await checkPassword(guess)
    if (!verified) throw new ApiError('wrong_current_password')
    return verified
  }

/**
 * Requires the password or a recent login, for what a stolen token or an unlocked browser must not be enough for (ASVS 5.0
 * section 7.5.1). Rejects with ApiError wrong_current_password, reauthentication_required, too_many_requests or unavailable.
 */
export const createReauthentication =
  ({ checkPassword, now }: { checkPassword: PasswordCheck; now: () => number }) =>
  async (caller: Caller, password: string | undefined, address: string): Promise<void> => {
    if (password === undefined) requireRecentLogin(caller, now())
    else await createPasswordConfirmation({ checkPassword })(caller, password, address)
  }
