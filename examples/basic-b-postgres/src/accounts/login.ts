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
): Promise<Awaited<Grant>> {
  const newHash = credentials.needsRehash(password, verified.hashedPassword)
    ? await credentials.hash(password)
    : undefined
  const outcome = await db.transaction(async (tx) => {
    const user = await lockUser(tx, verified.id)
    if (!user?.isActive) throw new ApiError('invalid_credentials')
    if (user.hashedPassword !== verified.hashedPassword) return { changed: user }
    if (newHash !== undefined) await updateUser(tx, user.id, { hashedPassword: newHash })
    return { granted: await grant(tx, user) }
  })
  if (outcome.changed === undefined) return outcome.granted
  // The change may be that another login at the same time hashed the same password anew: it is right still.
  const { changed } = outcome
  if (!(await credentials.verify(password, changed.hashedPassword))) throw new ApiError('invalid_credentials')
  return completeLogin({ db, credentials }, changed, password, grant)
}
