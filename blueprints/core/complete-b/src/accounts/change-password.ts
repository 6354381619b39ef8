import type { Context } from '../context.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Client } from '../limits/address-limit.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { deviceOf } from '../sessions/devices.ts'
import { startSession } from '../sessions/sessions.ts'
import { confirmPassword } from './reauthenticate.ts'
import { replacePassword } from './reset-password.ts'

/**
 * Changes the password, ends all sessions of the user and starts a new one, with the login of the one that asked: a stolen
 * session and password must not make a recent login. Requires the current password: an unlocked browser must not be
 * enough to take over the account (ASVS 5.0 section 6.2.3).
 * @returns the body of the response
 * @throws ApiError wrong_current_password, invalid_token, too_many_requests, unavailable, or that of an addition that refuses the password
 */
export async function changePassword(
  ctx: Context,
  caller: Caller,
  given: { currentPassword: string; newPassword: string },
  client: Client,
) {
  const { credentials, db } = ctx
  const { currentPassword, newPassword } = given
  const { user } = caller
  const verified = await confirmPassword(ctx, caller, currentPassword, client)
  credentials.validateNew({ password: newPassword, user, field: 'new_password' })
  const hashedPassword = await credentials.hash(newPassword, client.address)
  return db.transaction(async (tx) => {
    const current = await lockCaller(ctx, tx, caller)
    // A concurrent change may have set another password in the meantime.
    if (current.hashedPassword !== verified.hashedPassword) throw new ApiError('wrong_current_password')
    const device = await deviceOf(tx, caller.sessionId)
    const changed = await replacePassword(ctx, tx, current, hashedPassword)
    const { amr, authenticatedAt: loggedInAt } = caller
    return startSession(ctx, tx, { user: changed, client: { ...client, ...device }, amr, loggedInAt })
  })
}
