import type { Access, Caller } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { cancelEmailChange, noPendingEmail } from '../users/pending-email.ts'
import type { User } from '../users/users.ts'

export type EmailChangeCancellation = ReturnType<typeof createEmailChangeCancellation>

/** Cancels the request of a caller. Resolves to the user. Rejects with ApiError invalid_token. */
export const createEmailChangeCancellation =
  ({ access, db }: { access: Access; db: Database }) =>
  (caller: Caller): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await access.lockCaller(tx, caller)
      await cancelEmailChange(tx, user.id)
      return { ...user, ...noPendingEmail }
    })
