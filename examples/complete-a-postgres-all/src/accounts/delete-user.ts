import { and, eq, gt } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { emailChanges } from '../db/schema/email-changes.ts'
import { outbox } from '../db/schema/outbox.ts'
import { users } from '../db/schema/users.ts'
import { forgetClients } from '../limits/familiar-clients.ts'
import { mailedName } from '../mail/mailed-name.ts'
import type { Outbox } from '../mail/outbox.ts'
import { retireName } from '../users/retired-names.ts'
import type { User } from '../users/users.ts'

interface UserDeletionDependencies {
  mail: { outbox: Outbox }
  now: () => number
}

/**
 * Deletes a user whose row is locked: a login or refresh at the same moment waits, and then finds no user. The database
 * deletes their sessions and mailed tokens with the row. Their address is free again, but their username and id never
 * belong to another user. Counted mails stay counted: a stranger who registers an address and deletes the user again,
 * over and over, could otherwise flood its mailbox. Every address that the user has verified in the last week gets a
 * notice: a thief who changed the address may have deleted the account (ASVS 5.0 section 6.3.7).
 */
export async function deleteUser(
  tx: Transaction,
  user: User,
  { mail, now }: UserDeletionDependencies,
): Promise<void> {
  const { id } = user
  await retireName(tx, user)
  const former = await tx
    .select({ email: emailChanges.email })
    .from(emailChanges)
    .where(and(eq(emailChanges.userId, id), gt(emailChanges.expiresAt, new Date(now()))))
  // Sent or not. One that is being sent at this moment still arrives.
  await tx.delete(outbox).where(eq(outbox.userId, id))
  await forgetClients(tx, id)
  await tx.delete(users).where(eq(users.id, id))
  const verified = new Set([...(user.isVerified ? [user.email] : []), ...former.map(({ email }) => email)])
  for (const to of verified)
    await mail.outbox.enqueue(tx, {
      to,
      template: 'account_deleted',
      variables: { username: mailedName(user) },
    })
}
