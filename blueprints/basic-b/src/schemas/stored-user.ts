import { z } from 'zod'
import type { User } from '../users/users.ts'
import { toUserResponse, userResponse } from './user.ts'

/** What is stored about a user, except secrets. */
export const storedUser = z
  .object({
    ...userResponse.shape,
    is_superuser: z.boolean(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'StoredUser' })

export const toStoredUser = (user: User): z.output<typeof storedUser> => ({
  ...toUserResponse(user),
  is_superuser: user.isSuperuser,
  updated_at: user.updatedAt.toISOString(),
})
