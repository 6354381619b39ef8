import type { Access, Caller } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { PasswordCheck } from '../passwords/check-password.ts'
import type { Credentials } from '../passwords/credentials.ts'
import { deviceOf } from '../sessions/devices.ts'
import type { Client } from '../sessions/store.ts'
import { createPasswordConfirmation } from './reauthenticate.ts'
import { replacePassword } from './reset-password.ts'

interface PasswordChangeDependencies {
  access: Access
  checkPassword: PasswordCheck
  credentials: Credentials
  db: Database
  outbox: Outbox
}

interface PasswordChange {
  currentPassword: string
  newPassword: string
}

/**
 * Changes the password, ends all sessions of the user and starts a new one, with the login time of the one that asked: a
 * stolen session and password must not make a recent login. Requires the current password: an unlocked
 * browser must not be enough to take over the account (ASVS 5.0 section 6.2.3). Resolves to the response body. Rejects
 * with ApiError wrong_current_password, invalid_token, too_many_requests, unavailable, or that of a password validator.
 */
export const createPasswordChange =
  ({ access, checkPassword, credentials, db, outbox }: PasswordChangeDependencies) =>
  async (caller: Caller, client: Client, { currentPassword, newPassword }: PasswordChange) => {
    const confirmPassword = createPasswordConfirmation({ checkPassword })
    const { user } = caller
    const verified = await confirmPassword(caller, currentPassword, client.ipAddress)
    credentials.validateNew({ password: newPassword, user, field: 'new_password' })
    const hashedPassword = await credentials.hash(newPassword, client.ipAddress)
    return db.transaction(async (tx) => {
      const current = await access.lockCaller(tx, caller)
      // A concurrent change may have set another password in the meantime.
      if (current.hashedPassword !== verified.hashedPassword) throw new ApiError('wrong_current_password')
      const device = await deviceOf(tx, caller.sessionId)
      const changed = await replacePassword(tx, { access, outbox }, current, hashedPassword)
      return access.grant(tx, { user: changed, ...device, ...client }, caller.authenticatedAt)
    })
  }
