import type { Context } from '../context.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { type User, updateUser } from '../users/users.ts'

/**
 * Changes the email address of a user.
 * @throws ApiError already_registered, or invalid_token if the caller has lost access in the meantime
 */
export const changeEmail = (ctx: Context, caller: Caller, email: string): Promise<User> =>
  ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    return updateUser(tx, user.id, { email })
  })
