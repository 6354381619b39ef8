import type { Database } from '../db/database.ts'
import { insertUser, type NewUser, type User } from '../users/users.ts'
import type { EmailVerification } from './verify-email.ts'

export interface RegistrationDependencies {
  db: Database
  emailVerification: EmailVerification
  now: () => number
}

/** Creates the user and queues the verification mail in one transaction. Rejects with ApiError already_registered. */
export const createRegistration =
  ({ db, emailVerification, now }: RegistrationDependencies) =>
  (newUser: NewUser): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await insertUser(tx, newUser, now())
      await emailVerification.queueMail(tx, user)
      return user
    })
