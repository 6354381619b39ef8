import type { Database } from '../db/database.ts'
import type { UndoTokens } from '../email-tokens/undo-tokens.ts'
import type { User } from '../users/users.ts'
import { restoreEmail } from './restore-email.ts'

type EmailChangeUndoDependencies = Parameters<typeof restoreEmail>[1] & {
  db: Database
  undoTokens: UndoTokens
}

export type EmailChangeUndo = ReturnType<typeof createEmailChangeUndo>

/**
 * Restores a former address with the token in the notice of its change. Issues no token that would undo this again.
 * @returns a function that takes the token and resolves to the updated user. It throws ApiError invalid_or_expired_token
 */
export const createEmailChangeUndo =
  ({ db, undoTokens, ...dependencies }: EmailChangeUndoDependencies) =>
  (text: string): Promise<User> =>
    db.transaction(async (tx) => {
      const { user, email } = await undoTokens.redeem(tx, text)
      return restoreEmail(tx, dependencies, user, email)
    })
