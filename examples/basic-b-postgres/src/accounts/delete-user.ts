import { eq } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { users } from '../db/schema/users.ts'
import { forgetClients } from '../limits/familiar-clients.ts'
import type { User } from '../users/users.ts'

/**
 * Deletes a user whose row is locked: a login at the same moment waits, and then finds no user. Their names are free
 * again, but their id never belongs to another user.
 */
export async function deleteUser(tx: Transaction, { id }: User): Promise<void> {
  await forgetClients(tx, id)
  await tx.delete(users).where(eq(users.id, id))
}
