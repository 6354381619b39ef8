import type { z } from 'zod'
import type { User } from '../users/users.ts'
import { toCurrentUser } from './current-user.ts'
import { userResponse } from './user.ts'

/** What is stored about a user, except secrets. */
export const storedUser = userResponse.meta({ id: 'StoredUser' })

export const toStoredUser = (user: User, now: number): z.output<typeof storedUser> => toCurrentUser(user, now)
