import type { Database } from '../db/database.ts'
import { insertUser, type NewUser, type User } from '../users/users.ts'

export interface RegistrationDependencies {
  db: Database
  now: () => number
}

/** Creates an active user. Rejects with ApiError already_registered. */
export const createRegistration =
  ({ db, now }: RegistrationDependencies) =>
  (user: NewUser): Promise<User> =>
    db.transaction((tx) => insertUser(tx, user, now()))
