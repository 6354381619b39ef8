import { eq } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { users } from '../db/schema/users.ts'
import { forgetClients } from '../limits/familiar-clients.ts'
import { deleteMailsOf } from '../mail/outbox.ts'
import type { User } from '../users/users.ts'

/**
 * Deletes a user whose row is locked: a login or refresh at the same moment waits, and then finds no user. The database
 * deletes their sessions and mailed tokens with the row. Their names are free again, but their id never belongs to
 * another user. Counted mails stay counted: a stranger who registers an address and deletes the user again, over and
 * over, could otherwise flood its mailbox.
 */
export async function deleteUser(tx: Transaction, { id }: User): Promise<void> {
  await deleteMailsOf(tx, id)
  await forgetClients(tx, id)
  await tx.delete(users).where(eq(users.id, id))
}
