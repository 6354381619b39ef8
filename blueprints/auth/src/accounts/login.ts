import type { Database, Transaction } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { Credentials } from './credentials.ts'
import { lockUser, type User, updateUser } from './users.ts'

/**
 * Completes a login whose password was right: hashes it anew if its hash is older or weaker than the settings ask for,
 * and lets the user in, in one transaction.
 *
 * Verifying takes a while, and more while others wait. If the password changed or the user was deactivated meanwhile,
 * the login fails: the thief of an old password must not get a token just after it was changed.
 * @param verified the user's row as it was when the password was verified
 * @param grant what lets the user in
 * @throws ApiError invalid_credentials
 */
export async function completeLogin<Grant>(
  { db, credentials }: { db: Database; credentials: Credentials },
  verified: User,
  password: string,
  grant: (tx: Transaction, user: User) => Promise<Grant>,
): Promise<Grant> {
  const newHash = credentials.needsRehash(password, verified.hashedPassword)
    ? await credentials.hash(password)
    : undefined
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, verified.id)
    if (!user?.isActive || user.hashedPassword !== verified.hashedPassword)
      throw new ApiError('invalid_credentials')
    if (newHash !== undefined) await updateUser(tx, user.id, { hashedPassword: newHash })
    return grant(tx, user)
  })
}
