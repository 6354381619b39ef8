import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { endAccess } from '../sessions/sessions.ts'
import { lockUser, updateUser } from '../users/users.ts'

/** What administrators do to users, by id. Each throws ApiError not_found. */

/** Also keeps an unclaimed registration: an administrator has dealt with it. */
export const activateUser = (ctx: Context, id: number): Promise<void> =>
  change(ctx, id, (tx) => updateUser(tx, id, { isActive: true, unclaimedSince: null }))

/** Also revokes all their tokens, which an activation does not restore. */
export const deactivateUser = (ctx: Context, id: number): Promise<void> =>
  change(ctx, id, async (tx) => {
    await updateUser(tx, id, { isActive: false })
    await endAccess(ctx, tx, id)
  })

/** Logs a user out everywhere. */
export const endUserSessions = (ctx: Context, id: number): Promise<void> =>
  change(ctx, id, (tx) => endAccess(ctx, tx, id))

const change = ({ db }: Context, id: number, work: (tx: Transaction) => Promise<unknown>): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await lockUser(tx, id))) throw new ApiError('not_found')
    await work(tx)
  })
