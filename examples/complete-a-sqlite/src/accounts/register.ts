import type { Database } from '../db/database.ts'
import { rememberClient } from '../limits/familiar-clients.ts'
import type { Credentials } from '../passwords/credentials.ts'
import { insertUser, type NewUser, type User } from '../users/users.ts'
import type { EmailVerification } from './verify-email.ts'

interface RegistrationDependencies {
  credentials: Credentials
  db: Database
  emailVerification: EmailVerification
  now: () => number
}

export type Registration = ReturnType<typeof createRegistration>

/**
 * Creates the user and queues the verification mail in one transaction. Rejects with ApiError already_registered,
 * unavailable, too_many_requests, or that of a password validator.
 */
export const createRegistration =
  ({ credentials, db, emailVerification, now }: RegistrationDependencies) =>
  async (names: Omit<NewUser, 'hashedPassword'>, password: string, address: string): Promise<User> => {
    credentials.validateNew({ password, user: names, field: 'password' })
    const hashedPassword = await credentials.hash(password, address)
    return db.transaction(async (tx) => {
      const user = await insertUser(tx, { ...names, hashedPassword, unclaimedSince: new Date(now()) }, now())
      // The first login from the same place is not news.
      await rememberClient(tx, user.id, address, now())
      await emailVerification.queueMail(tx, user)
      return user
    })
  }
