import type { Database } from '../db/database.ts'
import type { Outbox } from '../mail/outbox.ts'
import { type Caller, lockCaller } from './access.ts'
import type { EmailOwnership } from './email-ownership.ts'
import { voidEmailTokens } from './email-token-store.ts'
import { emailChangedNotice } from './notices.ts'
import { type User, updateUser } from './users.ts'

export interface EmailChangeDependencies {
  db: Database
  emailOwnership: EmailOwnership
  now: () => number
  outbox: Outbox
}

/**
 * Gives the user another email address, which is not verified yet. What was mailed to the old one is void: whoever reads
 * that mailbox must not reset the password any more. The old address gets a notice, for a user whose session was stolen.
 * @param caller who was found to be allowed to do so
 * @throws ApiError already_registered; invalid_token if he has lost his access meanwhile
 */
export const createEmailChange =
  ({ db, emailOwnership, now, outbox }: EmailChangeDependencies) =>
  (caller: Caller, email: string): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await lockCaller(tx, caller, now())
      const updated = await updateUser(tx, user.id, { email, isVerified: false })
      await voidEmailTokens(tx, user.id)
      await outbox.enqueue(tx, emailChangedNotice(user))
      await emailOwnership.ask(tx, updated)
      return updated
    })
