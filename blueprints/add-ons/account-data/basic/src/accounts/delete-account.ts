import type { Context } from '../context.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { deleteUser } from './delete-user.ts'

/**
 * Deletes the account of a caller, which revokes all their tokens immediately, at every instance.
 * @throws ApiError invalid_token if they have lost access in the meantime
 */
export const deleteAccount = (ctx: Context, caller: Caller): Promise<void> =>
  ctx.db.transaction(async (tx) => deleteUser(ctx, tx, await lockCaller(ctx, tx, caller)))
