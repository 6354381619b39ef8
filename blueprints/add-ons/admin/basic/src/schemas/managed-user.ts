import { z } from 'zod'
import type { User } from '../users/users.ts'
import { toUserResponse, userResponse } from './user.ts'

/** A user as returned to superusers. */
export const managedUser = z
  .object({
    ...userResponse.shape,
    is_superuser: z.boolean(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'ManagedUser' })

export const toManagedUser = (user: User): z.output<typeof managedUser> => ({
  ...toUserResponse(user),
  is_superuser: user.isSuperuser,
  updated_at: user.updatedAt.toISOString(),
})
