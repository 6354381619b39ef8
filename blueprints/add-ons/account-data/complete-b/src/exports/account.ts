import { z } from 'zod'
import { toUserResponse, userResponse } from '../schemas/user.ts'
import { pendingEmail } from '../users/emails.ts'
import { exportPart } from './types.ts'

const storedUser = z
  .object({
    ...userResponse.shape,
    last_login_at: z.iso.datetime().nullable(),
    is_superuser: z.boolean(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'StoredUser' })

/** What is stored about a user in their row, except secrets. */
export const account = exportPart({
  shape: { user: storedUser },
  read: async ({ now, user }) => ({
    user: {
      ...toUserResponse(user),
      pending_email: pendingEmail(user, now),
      last_login_at: user.lastLoginAt?.toISOString() ?? null,
      is_superuser: user.isSuperuser,
      updated_at: user.updatedAt.toISOString(),
    },
  }),
})
