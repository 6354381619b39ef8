import type { Database } from '../db/database.ts'
import { lockUnchangedUser, type User, updateUser } from './users.ts'

/**
 * Gives the user another email address.
 * @param authorized the user's row on which the permission was checked
 * @throws ApiError already_registered; invalid_token if the user was deactivated, or his tokens voided, meanwhile
 */
export const createEmailChange =
  ({ db }: { db: Database }) =>
  (authorized: User, email: string): Promise<User> =>
    db.transaction(async (tx) => {
      await lockUnchangedUser(tx, authorized)
      return updateUser(tx, authorized.id, { email })
    })
