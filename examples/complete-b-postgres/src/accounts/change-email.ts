import type { Access, Caller } from '../access/access.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type EmailTokens, voidEmailTokens } from '../email-tokens/email-tokens.ts'
import { mailedName, withoutLinks } from '../mail/mailed-name.ts'
import type { Outbox } from '../mail/outbox.ts'
import { rejectTakenEmail } from '../users/emails.ts'
import { cancelEmailChange, noPendingEmail } from '../users/pending-email.ts'
import { type User, updateUser } from '../users/users.ts'
import { confirmationMail } from './mails.ts'

interface EmailChangeDependencies {
  access: Access
  config: Config
  db: Database
  emailTokens: EmailTokens
  now: () => number
  outbox: Outbox
}

export type EmailChange = ReturnType<typeof createEmailChange>

/**
 * Emails a token to the new address of a caller, and a notice to the current one. The address stays as it is until the new
 * one has answered: a mistyped or a stranger's address gets no account, and a thief of a token cannot move the account
 * before the owner hears of it. Replaces an earlier request. Resolves to the user. Rejects with ApiError
 * already_registered, too_many_requests if the new address has had enough emails, or invalid_token if the caller has lost
 * access in the meantime.
 */
export const createEmailChange =
  ({ access, config, db, emailTokens, now, outbox }: EmailChangeDependencies) =>
  (caller: Caller, email: string): Promise<User> =>
    db.transaction(async (tx) => {
      const user = await access.lockCaller(tx, caller)
      await rejectTakenEmail(tx, user, email, now())
      await cancelEmailChange(tx, user.id)
      // A confirmation may have made it theirs since the row was read.
      if (email === user.email) return { ...user, ...noPendingEmail }
      // A typing mistake at the registration: the stranger at that address must not verify it any more.
      if (!user.isVerified) await voidEmailTokens(tx, user.id, ['verification'])
      const { text, hash } = emailTokens.create()
      const requested = await updateUser(tx, user.id, {
        pendingEmail: email,
        pendingEmailToken: hash,
        pendingEmailSession: caller.sessionId,
        pendingEmailExpiresAt: new Date(now() + config.email.verificationSeconds * 1000),
      })
      await outbox.enqueue(tx, confirmationMail(user, email, text, config))
      // ASVS 5.0 section 6.3.7: an owner whose session was stolen has time to cancel it.
      await outbox.enqueue(tx, {
        to: user.email,
        userId: user.id,
        template: 'email_change_requested',
        variables: { username: mailedName(user), new_email: withoutLinks(email) },
      })
      return requested
    })
