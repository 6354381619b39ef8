import { z } from 'zod'
import type { User } from '../users/users.ts'
import { toCurrentUser } from './current-user.ts'
import { userResponse } from './user.ts'

/** What is stored about a user, except secrets. */
export const storedUser = z
  .object({
    ...userResponse.shape,
    last_login_at: z.iso.datetime().nullable(),
    is_superuser: z.boolean(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'StoredUser' })

export const toStoredUser = (user: User, now: number): z.output<typeof storedUser> => ({
  ...toCurrentUser(user, now),
  last_login_at: user.lastLoginAt?.toISOString() ?? null,
  is_superuser: user.isSuperuser,
  updated_at: user.updatedAt.toISOString(),
})
