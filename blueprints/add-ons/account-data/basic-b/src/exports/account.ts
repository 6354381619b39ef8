import { z } from 'zod'
import { toUserResponse, userResponse } from '../schemas/user.ts'
import { exportPart } from './types.ts'

const storedUser = z
  .object({
    ...userResponse.shape,
    is_superuser: z.boolean(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'StoredUser' })

/** What is stored about a user in their row, except secrets. */
export const account = exportPart({
  shape: { user: storedUser },
  read: async ({ user }) => ({
    user: {
      ...toUserResponse(user),
      is_superuser: user.isSuperuser,
      updated_at: user.updatedAt.toISOString(),
    },
  }),
})
