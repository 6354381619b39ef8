import type { Access, Caller } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { cancelEmailChange, noPendingEmail } from '../users/pending-email.ts'
import type { User } from '../users/users.ts'

export type EmailChangeCancellation = ReturnType<typeof createEmailChangeCancellation>

/**
 * Cancels the request of a caller who asks for the address that they have. Resolves to the user. Rejects with ApiError
 * invalid_token, or reauthentication_required if it is no longer theirs: then the call would be a change.
 */
export const createEmailChangeCancellation =
  ({ access, db }: { access: Access; db: Database }) =>
  (caller: Caller, email: string): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await access.lockCaller(tx, caller)
      // A confirmation may have changed it since the row was read.
      if (user.email !== email) throw new ApiError('reauthentication_required')
      await cancelEmailChange(tx, user.id)
      return { ...user, ...noPendingEmail }
    })
