import { z } from 'zod'
import type { User } from '../users/users.ts'
import { toUserResponse, userResponse } from './user.ts'

/** What is stored about a user, except secrets. */
export const storedUser = z
  .object({
    ...userResponse.shape,
    verified_email: z.string().nullable(),
  })
  .meta({ id: 'StoredUser' })

export const toStoredUser = (user: User): z.output<typeof storedUser> => ({
  ...toUserResponse(user),
  verified_email: user.verifiedEmail,
})
