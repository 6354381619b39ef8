import type { Database, Transaction } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { Credentials } from '../passwords/credentials.ts'
import { lockUser, type User, updateUser } from '../users/users.ts'

/**
 * Grants access after the password was verified, and replaces a weak hash. Fails if the password was changed or the
 * user was deactivated since then: a stolen password must not open a session just after it was changed.
 * @param verified the user's row at the time the password was verified
 * @param grant issues the tokens
 * @throws ApiError invalid_credentials, unavailable, too_many_requests
 */
export async function completeLogin<Grant>(
  { db, credentials }: { db: Database; credentials: Credentials },
  verified: User,
  { password, address }: { password: string; address: string },
  grant: (user: User, tx: Transaction) => Grant,
): Promise<Awaited<Grant>> {
  const newHash = credentials.needsRehash(password, verified.hashedPassword)
    ? await credentials.hash(password, address)
    : undefined
  const outcome = await db.transaction(async (tx) => {
    const user = await lockUser(tx, verified.id)
    if (!user?.isActive) throw new ApiError('invalid_credentials')
    if (user.hashedPassword !== verified.hashedPassword) return { changed: user }
    if (newHash !== undefined) await updateUser(tx, user.id, { hashedPassword: newHash })
    return { granted: await grant(user, tx) }
  })
  if (outcome.changed === undefined) return outcome.granted
  // A concurrent login may have rehashed the same password.
  const { changed } = outcome
  if (!(await credentials.verify(password, changed.hashedPassword, address)))
    throw new ApiError('invalid_credentials')
  return completeLogin({ db, credentials }, changed, { password, address }, grant)
}
