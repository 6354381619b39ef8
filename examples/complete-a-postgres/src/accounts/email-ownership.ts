import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { EmailTokens } from './email-tokens.ts'
import { verificationEmail, verifiedEmails } from './emails.ts'
import { type User, updateUser } from './users.ts'

export interface EmailOwnershipDependencies {
  config: Config
  db: Database
  emailTokens: EmailTokens
  outbox: Outbox
}

export type EmailOwnership = ReturnType<typeof createEmailOwnership>

/** How a user proves that he reads his address. */
export function createEmailOwnership({ config, db, emailTokens, outbox }: EmailOwnershipDependencies) {
  return {
    /** Mails a token to a user whose row is locked, or new. */
    async ask(tx: Transaction, user: User): Promise<void> {
      const token = await emailTokens.issue(tx, user, 'verification')
      await outbox.enqueue(tx, verificationEmail(user, token, config))
    },

    /** @returns the user, verified. @throws ApiError invalid_or_expired_token */
    verify: (text: string): Promise<User> =>
      db.transaction(async (tx) => {
        const user = await emailTokens.redeem(tx, 'verification', text)
        const verified = await updateUser(tx, user.id, { isVerified: true })
        for (const mail of verifiedEmails(verified)) await outbox.enqueue(tx, mail)
        return verified
      }),
  }
}
