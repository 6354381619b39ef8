import type { Access, Caller } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { undoableUntil } from '../email-tokens/undo-tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import type { UserDeletion } from './delete-user.ts'

interface AccountDeletionDependencies {
  access: Access
  db: Database
  deleteUser: UserDeletion
  now: () => number
}

/**
 * Deletes the account of a caller, which revokes all their tokens immediately, at every instance. Rejects with ApiError
 * invalid_token if they have lost access in the meantime, and email_change_can_be_undone while the owner of a former
 * address can take the account back.
 */
export const createAccountDeletion =
  ({ access, db, deleteUser, now }: AccountDeletionDependencies) =>
  (caller: Caller): Promise<void> =>
    db.transaction(async (tx) => {
      const user = await access.lockCaller(tx, caller)
      // A thief who has changed the address would otherwise delete the way back with the account.
      const until = await undoableUntil(tx, user, now())
      if (until)
        throw new ApiError('email_change_can_be_undone', {
          detail: `Email change can be undone until ${until.toISOString()}`,
        })
      await deleteUser(tx, user)
    })
