import type { Access, Caller } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import { revokeEmailTokens } from '../email-tokens/store.ts'
import { mailedName } from '../mail/mailed-name.ts'
import type { Outbox } from '../mail/outbox.ts'
import { type User, updateUser } from '../users/users.ts'
import type { EmailVerification } from './verify-email.ts'

interface EmailChangeDependencies {
  access: Access
  db: Database
  emailVerification: EmailVerification
  outbox: Outbox
}

export type EmailChange = ReturnType<typeof createEmailChange>

/**
 * Changes the email address of a user and mails a verification to the new one. Tokens mailed to the old address are
 * revoked, so they cannot reset the password. The old address gets a notice (ASVS 5.0 section 6.3.7). Rejects with
 * ApiError already_registered, or invalid_token if the caller has lost access in the meantime.
 */
export const createEmailChange =
  ({ access, db, emailVerification, outbox }: EmailChangeDependencies) =>
  (caller: Caller, email: string): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await access.lockCaller(tx, caller)
      const updated = await updateUser(tx, user.id, { email, isVerified: false })
      await revokeEmailTokens(tx, user.id)
      await outbox.enqueue(tx, {
        to: user.email,
        userId: user.id,
        subject: 'Your email address was changed',
        template: 'email_changed',
        variables: { username: mailedName(user) },
      })
      await emailVerification.queueMail(tx, updated)
      return updated
    })
