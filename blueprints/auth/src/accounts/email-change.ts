import type { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { lockUser, type User, updateUser } from './users.ts'

/**
 * Gives the user another email address.
 * @param authorized the user's row on which the permission was checked
 * @throws ApiError already_registered; invalid_token if the user was deactivated, or his tokens voided, meanwhile
 */
export async function changeEmail(db: Database, authorized: User, email: string): Promise<User> {
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, authorized.id)
    if (!user?.isActive || user.tokensValidFrom.getTime() !== authorized.tokensValidFrom.getTime()) {
      throw new ApiError('invalid_token')
    }
    return updateUser(tx, user.id, { email })
  })
}
