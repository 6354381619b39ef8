import { eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { users } from '../db/schema/users.ts'
import { forgetClients } from '../limits/login-limit.ts'
import { retireName } from '../users/retired-names.ts'
import type { User } from '../users/users.ts'

/**
 * Deletes a user whose row is locked: a login at the same moment waits, and then finds no user. Their address is
 * free again, but their username and id never belong to another user.
 */
export async function deleteUser(_ctx: Context, tx: Transaction, user: User): Promise<void> {
  const { id } = user
  await retireName(tx, user)
  await forgetClients(tx, id)
  await tx.delete(users).where(eq(users.id, id))
}
