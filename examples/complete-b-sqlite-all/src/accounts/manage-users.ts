import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { lockUsers, updateUser } from '../users/users.ts'
import { endAccess } from './end-access.ts'

/** What administrators do to users, by id. Each throws ApiError not_found, or what `asker` throws. */

/** Who asks for a change over the API. */
export interface Asker {
  id: number
  /** Throws if they may not, with their row locked. */
  check(tx: Transaction): Promise<void>
}

/** Also keeps an unclaimed registration: an administrator has dealt with it. */
export const activateUser = (ctx: Context, id: number, asker?: Asker): Promise<void> =>
  change(ctx, id, asker, (tx) => updateUser(tx, id, { isActive: true, unclaimedSince: null }))

/** Also revokes all their tokens, which an activation does not restore. */
export const deactivateUser = (ctx: Context, id: number, asker?: Asker): Promise<void> =>
  change(ctx, id, asker, async (tx) => {
    await updateUser(tx, id, { isActive: false })
    await endAccess(ctx, tx, id)
  })

/** Logs a user out everywhere. */
export const endUserSessions = (ctx: Context, id: number, asker?: Asker): Promise<void> =>
  change(ctx, id, asker, (tx) => endAccess(ctx, tx, id))

function change(
  { db }: Context,
  id: number,
  asker: Asker | undefined,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const locked = await lockUsers(tx, asker ? [id, asker.id] : [id])
    await asker?.check(tx)
    if (!locked.some((user) => user.id === id)) throw new ApiError('not_found')
    await work(tx)
  })
}
