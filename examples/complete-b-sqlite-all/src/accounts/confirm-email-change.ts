import type { Access, Caller } from '../access/access.ts'
import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { type EmailTokens, voidEmailTokens } from '../email-tokens/email-tokens.ts'
import type { UndoTokens } from '../email-tokens/undo-tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import { emailChangedNotice } from '../mail/email-changed-notice.ts'
import type { Outbox } from '../mail/outbox.ts'
import { findByPendingToken } from '../users/pending-email.ts'
import { undoMail } from './mails.ts'
import { setProvedEmail } from './proved-email.ts'

interface ConfirmationDependencies {
  access: Access
  config: Config
  emailTokens: EmailTokens
  now: () => number
  outbox: Outbox
  undoTokens: UndoTokens
}

export type EmailChangeConfirmation = ReturnType<typeof createEmailChangeConfirmation>

/**
 * Changes the address of a user with the token that was emailed to the new one. Requires their login: someone who only
 * reads that mailbox must not join an account, nor hand it over.
 * @returns a function that takes the caller and the token, and resolves to the user before and after. It throws ApiError
 * invalid_or_expired_token, not_authenticated
 */
export const createEmailChangeConfirmation = (dependencies: ConfirmationDependencies) => {
  const { access, config, emailTokens, now, outbox, undoTokens } = dependencies
  return async (tx: Transaction, caller: Caller | null, text: string) => {
    const hashes = emailTokens.hashes(text)
    const asked = await findByPendingToken(tx, hashes, now())
    if (!asked) throw new ApiError('invalid_or_expired_token')
    if (!caller) throw new ApiError('not_authenticated')
    const before = await access.lockCaller(tx, caller)
    // Again, now that no concurrent use, cancellation or further request can change it.
    const found = await findByPendingToken(tx, hashes, now())
    if (found?.id !== before.id || found.pendingEmail === null) throw new ApiError('invalid_or_expired_token')
    await voidEmailTokens(tx, before.id)
    const after = await setProvedEmail(tx, before, found.pendingEmail, now())
    const isBack = await undoTokens.endFrom(tx, before, after.email)
    if (!isBack) await undoTokens.renew(tx, before)
    // An address that was never verified may be a stranger's, and a change back is no change to undo.
    if (isBack || !before.isVerified) await outbox.enqueue(tx, emailChangedNotice(before))
    else {
      const undo = await undoTokens.issue(tx, before, before.email)
      await outbox.enqueue(tx, undoMail(before, before.email, undo, config))
    }
    return { before, after }
  }
}
