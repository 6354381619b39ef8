import { and, eq, gt } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { users } from '../db/schema/users.ts'
import { queueEmail, shownName } from '../email/outbox.ts'
import { forgetClients } from '../limits/login-limit.ts'
import { retireName } from '../users/retired-names.ts'
import type { User } from '../users/users.ts'

/**
 * Deletes a user whose row is locked: a login or refresh at the same moment waits, and then finds no user. Their address
 * is free again, but their username and id never belong to another user.
 */
export async function deleteUser(ctx: Context, tx: Transaction, user: User): Promise<void> {
  const { id } = user
  await retireName(tx, user)
  const former = await tx
    .select({ email: emailChanges.email })
    .from(emailChanges)
    .where(and(eq(emailChanges.userId, id), gt(emailChanges.expiresAt, new Date(ctx.now()))))
  // Counts of emails stay: a stranger could flood a mailbox by registering its address and deleting the user, over and over.
  await forgetClients(tx, id)
  // The database deletes their sessions and emailed tokens with the row.
  await tx.delete(users).where(eq(users.id, id))
  // A thief who changed the address may have deleted the account (ASVS 5.0 section 6.3.7).
  const verified = new Set([...(user.isVerified ? [user.email] : []), ...former.map(({ email }) => email)])
  for (const to of verified)
    await queueEmail(ctx, tx, {
      to,
      template: 'account_deleted',
      variables: { username: shownName(user) },
    })
}
