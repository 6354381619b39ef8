import { attempts } from './schema/attempts.ts'
import { retiredNames } from './schema/retired-names.ts'
import { users } from './schema/users.ts'

/** The tables that /health/ready checks. */
export const probe = [users, attempts, retiredNames] as const
