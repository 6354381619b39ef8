import type { Context } from '../context.ts'
import { rememberClient } from '../limits/login-limit.ts'
import { insertUser, type NewUser, type User } from '../users/users.ts'
import { queueEmailToken } from './request-email.ts'

/**
 * Creates the user and queues the verification email in one transaction.
 * @param address IP address of the client
 * @throws ApiError already_registered, unavailable, too_many_requests, or that of an addition that refuses the password
 */
export async function register(
  ctx: Context,
  names: Omit<NewUser, 'hashedPassword'>,
  password: string,
  address: string,
): Promise<User> {
  const { credentials, db, now } = ctx
  credentials.validateNew({ password, user: names, field: 'password' })
  const hashedPassword = await credentials.hash(password, address)
  return db.transaction(async (tx) => {
    const user = await insertUser(tx, { ...names, hashedPassword, unclaimedSince: new Date(now()) }, now())
    // The first login from the same place is not news.
    await rememberClient(tx, user.id, address, now())
    await queueEmailToken(ctx, tx, user, 'verification')
    return user
  })
}
