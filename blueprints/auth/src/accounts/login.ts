import type { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { Credentials } from './credentials.ts'
import { lockUser, type User, updateUser } from './users.ts'

/**
 * Completes a login whose password was right: hashes it anew if its hash is older or weaker than the settings ask for.
 *
 * Verifying takes a while, and more while others wait. If the password changed or the user was deactivated meanwhile,
 * the login fails: the thief of an old password must not get a token just after it was changed.
 * @param verified the user's row as it was when the password was verified
 * @returns the user's row as it is now
 * @throws ApiError invalid_credentials
 */
export async function completeLogin(
  db: Database,
  credentials: Credentials,
  verified: User,
  password: string,
): Promise<User> {
  const newHash = credentials.needsRehash(password, verified.hashedPassword)
    ? await credentials.hash(password)
    : undefined
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, verified.id)
    if (!user?.isActive || user.hashedPassword !== verified.hashedPassword)
      throw new ApiError('invalid_credentials')
    return newHash === undefined ? user : updateUser(tx, user.id, { hashedPassword: newHash })
  })
}
