import { and, eq, gt } from 'drizzle-orm'
import type { Access, Caller } from '../access/access.ts'
import type { Database, Reader } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { User } from '../users/users.ts'
import { deleteUser } from './delete-user.ts'

interface AccountDeletionDependencies {
  accounts: { access: Access }
  db: Database
  mail: { outbox: Outbox }
  now: () => number
}

/**
 * Deletes the account of a caller, which revokes all their tokens immediately, at every instance. Rejects with ApiError
 * invalid_token if they have lost access in the meantime, and email_change_can_be_undone while the owner of a former
 * address can take the account back.
 */
export const createAccountDeletion =
  ({ accounts: { access }, db, mail, now }: AccountDeletionDependencies) =>
  (caller: Caller): Promise<void> =>
    db.transaction(async (tx) => {
      const user = await access.lockCaller(tx, caller)
      // A thief who has changed the address would otherwise delete the way back with the account.
      const until = await undoableUntil(tx, user, now())
      if (until)
        throw new ApiError('email_change_can_be_undone', {
          detail: `Email change can be undone until ${until.toISOString()}`,
        })
      await deleteUser(tx, user, { mail, now })
    })

/** Until when the changes of a user's address can be undone. Undefined if none can. */
async function undoableUntil(db: Reader, { id }: User, now: number): Promise<Date | undefined> {
  const live = and(eq(emailChanges.userId, id), gt(emailChanges.expiresAt, new Date(now)))
  const rows = await db.select({ at: emailChanges.expiresAt }).from(emailChanges).where(live)
  const times = rows.map(({ at }) => at.getTime())
  return times.length > 0 ? new Date(Math.max(...times)) : undefined
}
