import type { Access } from '../access/access.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { EmailTokens } from '../email-tokens/email-tokens.ts'
import { forgetClients } from '../limits/familiar-clients.ts'
import { forgetLogins } from '../limits/login-limit.ts'
import { mailedName } from '../mail/mailed-name.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { Credentials } from '../passwords/credentials.ts'
import { canonicalLogin } from '../users/names.ts'
import { type User, updateUser } from '../users/users.ts'
import { resetMail } from './mails.ts'

/**
 * Sets a new password for a user whose row is locked. Ends all their sessions and revokes mailed tokens, so that a
 * stolen password is useless (ASVS 5.0 section 7.4.3). Mails a notice to the user (section 6.3.7).
 */
export async function replacePassword(
  tx: Transaction,
  { access, outbox }: { access: Access; outbox: Outbox },
  { id }: User,
  hashedPassword: string,
): Promise<User> {
  const user = await updateUser(tx, id, { hashedPassword })
  // The user can log in immediately, even after too many logins.
  await forgetLogins(tx, id, [canonicalLogin(user.username), user.email])
  await access.endAccess(tx, id)
  await forgetClients(tx, id)
  await outbox.enqueue(tx, {
    to: user.email,
    userId: user.id,
    template: 'password_changed',
    variables: { username: mailedName(user) },
  })
  return user
}

interface PasswordResetDependencies {
  access: Access
  config: Config
  credentials: Credentials
  db: Database
  emailTokens: EmailTokens
  outbox: Outbox
}

export type PasswordReset = ReturnType<typeof createPasswordReset>

/** Resets the password of a user with a mailed token. */
export function createPasswordReset(dependencies: PasswordResetDependencies) {
  const { config, credentials, db, emailTokens, outbox } = dependencies
  return {
    /**
     * Queues a mail with a token for a user whose row is locked.
     * @returns false if the limit of mails is reached. The last token stays valid
     */
    queueMail: (tx: Transaction, user: User): Promise<boolean> =>
      outbox.enqueue(
        tx,
        resetMail(user, () => emailTokens.issue(tx, user, 'reset'), config),
      ),

    /**
     * @returns the updated user
     * @throws ApiError invalid_or_expired_token, unavailable, too_many_requests, or that of a password validator (the
     * token stays valid)
     */
    async reset(text: string, password: string, address: string): Promise<User> {
      // Checked before hashing, so that a made-up token does not cost a hash.
      await emailTokens.find(db.read, 'reset', text)
      const hashedPassword = await credentials.hash(password, address)
      return db.transaction(async (tx) => {
        const user = await emailTokens.redeem(tx, 'reset', text)
        credentials.validateNew({ password, user, field: 'new_password' })
        // The token was emailed to this address. After a first proof, what came before it is void as well.
        await updateUser(tx, user.id, { isVerified: true, unclaimedSince: null })
        return replacePassword(tx, dependencies, user, hashedPassword)
      })
    },
  }
}
