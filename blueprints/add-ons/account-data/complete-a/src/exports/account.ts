import { toUserResponse, userResponse } from '../schemas/user.ts'
import { pendingEmail } from '../users/emails.ts'
import { exportPart } from './types.ts'

/** What is stored about a user in their row, except secrets. */
export const account = exportPart({
  shape: { user: userResponse.meta({ id: 'StoredUser' }) },
  read: async ({ now, user }) => ({
    user: { ...toUserResponse(user), pending_email: pendingEmail(user, now) },
  }),
})
