import type { z } from 'zod'
import { pendingEmail } from '../users/pending-email.ts'
import type { User } from '../users/users.ts'
import { toUserResponse, type userResponse } from './user.ts'

/** A user with `pending_email`, while a change of the address waits. Never for other users. */
export const toCurrentUser = (user: User, now: number): z.output<typeof userResponse> => ({
  ...toUserResponse(user),
  pending_email: pendingEmail(user, now),
})
