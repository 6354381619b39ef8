import { attempts } from './schema/attempts.ts'
import { users } from './schema/users.ts'

/** The tables that /health/ready checks. */
export const probe = [users, attempts] as const
