import type { Access, Caller } from '../access/access.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { revokeEmailTokens } from '../email-tokens/store.ts'
import type { UndoTokens } from '../email-tokens/undo-tokens.ts'
import { emailChangedNotice } from '../mail/email-changed-notice.ts'
import type { Outbox } from '../mail/outbox.ts'
import { lastVerifiedEmail } from '../users/emails.ts'
import { type User, updateUser } from '../users/users.ts'
import { emailChangedMail } from './mails.ts'
import type { EmailVerification } from './verify-email.ts'

interface EmailChangeDependencies {
  access: Access
  config: Config
  db: Database
  emailVerification: EmailVerification
  outbox: Outbox
  undoTokens: UndoTokens
}

export type EmailChange = ReturnType<typeof createEmailChange>

/**
 * Changes the email address of a user and mails a verification to the new one. Until then, password resets go to the last
 * verified address. It gets a notice (ASVS 5.0 section 6.3.7) with a token that undoes the change. Tokens mailed before
 * are revoked: one for the old address would verify the new one. A change back to the last verified address needs no
 * mail. Rejects with ApiError already_registered, or invalid_token if the caller has lost access in the meantime.
 */
export const createEmailChange =
  ({ access, config, db, emailVerification, outbox, undoTokens }: EmailChangeDependencies) =>
  (caller: Caller, email: string): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await access.lockCaller(tx, caller)
      const verified = lastVerifiedEmail(user)
      const isBack = email === verified
      const verifiedEmail = isBack ? null : verified
      const updated = await updateUser(tx, user.id, { email, isVerified: isBack, verifiedEmail })
      await revokeEmailTokens(tx, user.id)
      if (isBack) return updated
      const notice =
        verified === null
          ? emailChangedNotice(user)
          : emailChangedMail(user, () => undoTokens.issue(tx, user, verified), config)
      await outbox.enqueue(tx, notice)
      await emailVerification.queueMail(tx, updated)
      return updated
    })
