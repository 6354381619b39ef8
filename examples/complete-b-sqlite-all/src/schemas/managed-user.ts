import { z } from 'zod'
import { pendingEmail } from '../users/emails.ts'
import type { User } from '../users/users.ts'
import { toUserResponse, userResponse } from './user.ts'

/** A user as returned to superusers. */
export const managedUser = z
  .object({
    ...userResponse.shape,
    last_login_at: z.iso.datetime().nullable(),
    is_superuser: z.boolean(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'ManagedUser' })

export const toManagedUser = (user: User, now: number): z.output<typeof managedUser> => ({
  ...toUserResponse(user),
  pending_email: pendingEmail(user, now),
  last_login_at: user.lastLoginAt?.toISOString() ?? null,
  is_superuser: user.isSuperuser,
  updated_at: user.updatedAt.toISOString(),
})
