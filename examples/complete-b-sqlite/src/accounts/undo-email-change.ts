import type { Access } from '../access/access.ts'
import type { Database } from '../db/database.ts'
import type { UndoTokens } from '../email-tokens/undo-tokens.ts'
import { emailChangedNotice } from '../mail/email-changed-notice.ts'
import { forgetMails } from '../mail/limit.ts'
import type { Outbox } from '../mail/outbox.ts'
import { type User, updateUser } from '../users/users.ts'

interface EmailChangeUndoDependencies {
  access: Access
  db: Database
  outbox: Outbox
  undoTokens: UndoTokens
}

export type EmailChangeUndo = ReturnType<typeof createEmailChangeUndo>

/**
 * Restores a verified address with the token in the notice of its change, and revokes all access: the client that made the
 * change is logged out, and codes mailed to their address are useless. @returns the updated user
 * @throws ApiError invalid_or_expired_token
 */
export const createEmailChangeUndo =
  ({ access, db, outbox, undoTokens }: EmailChangeUndoDependencies) =>
  (text: string): Promise<User> =>
    db.transaction(async (tx) => {
      const { user, email } = await undoTokens.redeem(tx, text)
      await access.endAccess(tx, user.id)
      // Otherwise a thief who changes the address again and again would use up the notices, and the last has no way back.
      await forgetMails(tx, 'undo_email_change', email)
      // Otherwise a thief who reads the old mailbox could take the address back unnoticed.
      if (user.isVerified && user.email !== email) await outbox.enqueue(tx, emailChangedNotice(user))
      return updateUser(tx, user.id, { email, isVerified: true, verifiedEmail: null })
    })
