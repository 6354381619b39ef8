import { asc, gt } from 'drizzle-orm'
import type { Access } from '../access/access.ts'
import type { Database, Transaction } from '../db/database.ts'
import { users } from '../db/schema/users.ts'
import { ApiError } from '../errors.ts'
import { lockUser, type User, updateUser } from '../users/users.ts'

/** What superusers do to other users. */
export function createUserManagement({ access, db }: { access: Access; db: Database }) {
  /** @throws ApiError not_found */
  const change = (id: number, work: (tx: Transaction) => Promise<unknown>): Promise<void> =>
    db.transaction(async (tx) => {
      if (!(await lockUser(tx, id))) throw new ApiError('not_found')
      await work(tx)
    })

  return {
    /** @param after the id of the last user of the page before @returns the next users, in the order of their ids */
    async list(after: number, limit: number): Promise<{ page: User[]; hasMore: boolean }> {
      const found = await db.read
        .select()
        .from(users)
        .where(gt(users.id, after))
        .orderBy(asc(users.id))
        .limit(limit + 1)
      return { page: found.slice(0, limit), hasMore: found.length > limit }
    },

    activate: (id: number) => change(id, (tx) => updateUser(tx, id, { isActive: true })),

    /** Also revokes all their tokens, which an activation does not restore. */
    deactivate: (id: number) =>
      change(id, async (tx) => {
        await updateUser(tx, id, { isActive: false })
        await access.endAccess(tx, id)
      }),

    endSessions: (id: number) => change(id, (tx) => access.endAccess(tx, id)),
  }
}
