import type { Database } from '../db/database.ts'
import type { EmailOwnership } from './email-ownership.ts'
import { insertUser, type NewUser, type User } from './users.ts'

export interface RegistrationDependencies {
  db: Database
  emailOwnership: EmailOwnership
  now: () => number
}

/** Makes a user and mails him a verification, both or neither. The promise rejects with ApiError already_registered. */
export const createRegistration =
  ({ db, emailOwnership, now }: RegistrationDependencies) =>
  (newUser: NewUser): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await insertUser(tx, newUser, now())
      await emailOwnership.ask(tx, user)
      return user
    })
