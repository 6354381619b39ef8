import type { Context } from '../context.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { type User, updateUser } from '../users/users.ts'

/**
 * Changes the email address of a user.
 * @throws ApiError already_registered, or invalid_token if the caller has lost access in the meantime
 */
export const changeEmail = ({ db }: Context, caller: Caller, email: string): Promise<User> =>
  db.transaction(async (tx) => {
    const user = await lockCaller(tx, caller)
    return updateUser(tx, user.id, { email })
  })
