import type { Database } from '../db/database.ts'
import type { Credentials } from '../passwords/credentials.ts'
import { insertUser, type NewUser, type User } from '../users/users.ts'

interface RegistrationDependencies {
  credentials: Credentials
  db: Database
  now: () => number
}

export type Registration = ReturnType<typeof createRegistration>

/**
 * Creates an active user. Rejects with ApiError already_registered, unavailable, too_many_requests, or that of a password
 * validator.
 */
export const createRegistration =
  ({ credentials, db, now }: RegistrationDependencies) =>
  async (names: Omit<NewUser, 'hashedPassword'>, password: string, address: string): Promise<User> => {
    credentials.validateNew({ password, user: names, field: 'password' })
    const hashedPassword = await credentials.hash(password, address)
    return db.transaction((tx) => insertUser(tx, { ...names, hashedPassword }, now()))
  }
