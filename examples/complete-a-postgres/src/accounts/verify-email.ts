import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { EmailTokens } from '../email-tokens/email-tokens.ts'
import type { Outbox } from '../mail/outbox.ts'
import { type User, updateUser } from '../users/users.ts'
import { verificationMail } from './mails.ts'

interface EmailVerificationDependencies {
  config: Config
  db: Database
  emailTokens: EmailTokens
  outbox: Outbox
}

export type EmailVerification = ReturnType<typeof createEmailVerification>

/** Verifies that a user owns their email address. */
export function createEmailVerification({ config, db, emailTokens, outbox }: EmailVerificationDependencies) {
  return {
    /**
     * Queues a mail with a token for a user whose row is locked or new.
     * @returns false if the limit of mails is reached. The last token stays valid
     */
    queueMail: (tx: Transaction, user: User): Promise<boolean> =>
      outbox.enqueue(
        tx,
        verificationMail(user, () => emailTokens.issue(tx, user, 'verification'), config),
      ),

    /** @returns the verified user. @throws ApiError invalid_or_expired_token */
    verify: (text: string): Promise<User> =>
      db.transaction(async (tx) => {
        const { id } = await emailTokens.redeem(tx, 'verification', text)
        const user = await updateUser(tx, id, { isVerified: true, verifiedEmail: null, unclaimedSince: null })
        return user
      }),
  }
}
