import type { z } from 'zod'
import type { User } from '../users/users.ts'
import { toUserResponse, userResponse } from './user.ts'

/** What is stored about a user, except secrets. */
export const storedUser = userResponse.meta({ id: 'StoredUser' })

export const toStoredUser = (user: User): z.output<typeof storedUser> => toUserResponse(user)
