import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { Outbox } from '../mail/outbox.ts'
import { endAccess } from './access.ts'
import { forgetAttempts } from './attempts.ts'
import type { Credentials } from './credentials.ts'
import type { EmailTokens } from './email-tokens.ts'
import { resetEmail } from './emails.ts'
import { passwordChangedNotice } from './notices.ts'
import { type User, updateUser } from './users.ts'

/**
 * Gives a user, whose row is locked, another password. Every session and mailed token that he has ends with the old one
 * (ASVS 5.0 section 7.4.3): whoever stole the password is out. A notice tells him.
 */
export async function replacePassword(
  tx: Transaction,
  { outbox, now }: { outbox: Outbox; now: () => number },
  user: User,
  hashedPassword: string,
): Promise<User> {
  const updated = await updateUser(tx, user.id, { hashedPassword })
  await endAccess(tx, user.id, now())
  await outbox.enqueue(tx, passwordChangedNotice(updated))
  return updated
}

export interface PasswordResetDependencies {
  config: Config
  credentials: Credentials
  db: Database
  emailTokens: EmailTokens
  now: () => number
  outbox: Outbox
}

export type PasswordReset = ReturnType<typeof createPasswordReset>

/** A new password for a user who proves that he reads his mail. */
export function createPasswordReset(dependencies: PasswordResetDependencies) {
  const { config, credentials, db, emailTokens, outbox } = dependencies
  return {
    /** Mails a token to a user whose row is locked. */
    async ask(tx: Transaction, user: User): Promise<void> {
      const token = await emailTokens.issue(tx, user, 'reset')
      await outbox.enqueue(tx, resetEmail(user, token, config))
    },

    /** @returns the user, with the new password. @throws ApiError invalid_or_expired_token, unavailable */
    async reset(text: string, password: string): Promise<User> {
      // Before the costly hash: an invented token costs us next to nothing.
      await emailTokens.find(db.read, 'reset', text)
      const hashedPassword = await credentials.hash(password)
      return db.transaction(async (tx) => {
        const user = await emailTokens.redeem(tx, 'reset', text)
        // The failures before were the thief's, or the owner's who had forgotten: he can log in at once.
        await forgetAttempts(tx, user.id)
        return replacePassword(tx, dependencies, user, hashedPassword)
      })
    },
  }
}
