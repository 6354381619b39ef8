import { and, eq, gt } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { ApiError } from '../errors/api-error.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import type { User } from '../users/users.ts'
import { deleteUser } from './delete-user.ts'

/**
 * Deletes the account of a caller, which revokes all their tokens immediately, at every instance.
 * @throws ApiError invalid_token if they have lost access in the meantime, and email_change_can_be_undone while the owner
 * of a previous address can take the account back
 */
export const deleteAccount = (ctx: Context, caller: Caller): Promise<void> =>
  ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    // A thief who has changed the address would otherwise delete the way back with the account.
    const until = await undoableUntil(tx, user, ctx.now())
    if (until)
      throw new ApiError('email_change_can_be_undone', {
        detail: `Email change can be undone until ${until.toISOString()}`,
      })
    await deleteUser(ctx, tx, user)
  })

/** Until when the changes of a user's address can be undone. Undefined if none can. */
async function undoableUntil(db: Reader, { id }: User, now: number): Promise<Date | undefined> {
  const live = and(eq(emailChanges.userId, id), gt(emailChanges.expiresAt, new Date(now)))
  const rows = await db.select({ at: emailChanges.expiresAt }).from(emailChanges).where(live)
  const times = rows.map(({ at }) => at.getTime())
  return times.length > 0 ? new Date(Math.max(...times)) : undefined
}
