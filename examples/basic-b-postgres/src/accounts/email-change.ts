import type { Database } from '../db/database.ts'
import { type Caller, lockCaller } from './access.ts'
import { type User, updateUser } from './users.ts'

export interface EmailChangeDependencies {
  db: Database
}

/**
 * Gives the user another email address.
 * @param caller who was found to be allowed to do so
 * @throws ApiError already_registered; invalid_token if he has lost his access meanwhile
 */
export const createEmailChange =
  ({ db }: EmailChangeDependencies) =>
  (caller: Caller, email: string): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await lockCaller(tx, caller)
      return updateUser(tx, user.id, { email })
    })
