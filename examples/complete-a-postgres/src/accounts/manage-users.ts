import type { Access } from '../access/access.ts'
import type { Database, Transaction } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { lockUser, updateUser } from '../users/users.ts'

/** What administrators do to users. */
export function createUserManagement({ access, db }: { access: Access; db: Database }) {
  /** @throws ApiError not_found */
  const change = (id: number, work: (tx: Transaction) => Promise<unknown>): Promise<void> =>
    db.transaction(async (tx) => {
      if (!(await lockUser(tx, id))) throw new ApiError('not_found')
      await work(tx)
    })

  return {
    /** Also keeps an unclaimed registration: an administrator has dealt with it. */
    activate: (id: number) =>
      change(id, (tx) => updateUser(tx, id, { isActive: true, unclaimedSince: null })),

    /** Also revokes all their tokens, which an activation does not restore. */
    deactivate: (id: number) =>
      change(id, async (tx) => {
        await updateUser(tx, id, { isActive: false })
        await access.endAccess(tx, id)
      }),

    endSessions: (id: number) => change(id, (tx) => access.endAccess(tx, id)),
  }
}
