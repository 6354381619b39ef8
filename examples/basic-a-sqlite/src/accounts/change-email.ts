import type { Access, Caller } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { type User, updateUser } from '../users/users.ts'

interface EmailChangeDependencies {
  access: Access
  db: Database
}

export type EmailChange = ReturnType<typeof createEmailChange>

/**
 * Changes the email address of a user. Rejects with ApiError already_registered, or invalid_token if the caller has
 * lost access in the meantime.
 */
export const createEmailChange =
  ({ access, db }: EmailChangeDependencies) =>
  (caller: Caller, email: string): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await access.lockCaller(tx, caller)
      return updateUser(tx, user.id, { email })
    })
