import { ApiError } from '../errors/api-error.ts'
import type { User } from '../users/users.ts'

/**
 * Refuses a login until the address is verified. Only once the password is verified, because otherwise anyone could find
 * out who has an account. @throws ApiError user_not_verified
 */
export function requireVerified({ id, isVerified }: User): void {
  if (!isVerified)
    throw new ApiError('user_not_verified', { log: { event: 'login.not_verified', userId: id } })
}
