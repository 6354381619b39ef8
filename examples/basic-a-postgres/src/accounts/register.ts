import type { Context } from '../context.ts'
import { insertUser, type NewUser, type User } from '../users/users.ts'

/**
 * Creates an active user.
 * @param address IP address of the client
 * @throws ApiError already_registered, unavailable, too_many_requests, or that of an addition that refuses the password
 */
export async function register(
  { credentials, db, now }: Context,
  names: Omit<NewUser, 'hashedPassword'>,
  password: string,
  address: string,
): Promise<User> {
  credentials.validateNew({ password, user: names, field: 'password' })
  const hashedPassword = await credentials.hash(password, address)
  return db.transaction((tx) => insertUser(tx, { ...names, hashedPassword }, now()))
}
