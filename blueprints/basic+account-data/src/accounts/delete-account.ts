import type { Access, Caller } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { deleteUser } from './delete-user.ts'

interface AccountDeletionDependencies {
  accounts: { access: Access }
  db: Database
}

/**
 * Deletes the account of a caller, which revokes all their tokens immediately, at every instance. Rejects with ApiError
 * invalid_token if they have lost access in the meantime.
 */
export const createAccountDeletion =
  ({ accounts: { access }, db }: AccountDeletionDependencies) =>
  (caller: Caller): Promise<void> =>
    db.transaction(async (tx) => deleteUser(tx, await access.lockCaller(tx, caller)))
