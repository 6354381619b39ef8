import type { Transaction } from '../db/database.ts'
import { ApiError } from '../errors/api-error.ts'
import { rejectReservedEmail } from '../users/emails.ts'
import { noPendingEmail } from '../users/pending-email.ts'
import { type User, type UserChange, updateUser } from '../users/users.ts'

/**
 * Gives a user whose row is locked an address that they have proved, and ends the change that waits.
 * @throws ApiError invalid_or_expired_token if the address is taken. Rolls back, so that the token stays valid
 */
export async function setProvedEmail(
  tx: Transaction,
  { id }: User,
  email: string,
  now: number,
  change: UserChange = {},
): Promise<User> {
  const proved = { email, isVerified: true, unclaimedSince: null, ...noPendingEmail, ...change }
  try {
    const user = await updateUser(tx, id, proved)
    await rejectReservedEmail(tx, user, now)
    return user
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError('invalid_or_expired_token')
    throw error
  }
}
