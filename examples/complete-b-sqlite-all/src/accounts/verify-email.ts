import type { Caller } from '../access/access.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import type { EmailTokens } from '../email-tokens/email-tokens.ts'
import type { Outbox } from '../mail/outbox.ts'
import { type User, updateUser } from '../users/users.ts'
import type { EmailChangeConfirmation } from './confirm-email-change.ts'
import { verificationMail } from './mails.ts'

interface EmailVerificationDependencies {
  config: Config
  confirmEmailChange: EmailChangeConfirmation
  db: Database
  emailTokens: EmailTokens
  outbox: Outbox
}

export type EmailVerification = ReturnType<typeof createEmailVerification>

/** Verifies that a user owns their email address. */
export function createEmailVerification(dependencies: EmailVerificationDependencies) {
  const { config, confirmEmailChange, db, emailTokens, outbox } = dependencies

  async function verifyRegistration(tx: Transaction, text: string) {
    const before = await emailTokens.redeem(tx, 'verification', text)
    const after = await updateUser(tx, before.id, { isVerified: true, unclaimedSince: null })
    return { before, after }
  }

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

    /**
     * Redeems a token of a registration, which needs no login, or one of a change.
     * @returns the user before and after
     * @throws ApiError invalid_or_expired_token; not_authenticated if a change needs the login of its user
     */
    verify: (caller: Caller | null, text: string): Promise<{ before: User; after: User }> =>
      db.transaction(async (tx) => {
        const isRegistration = await emailTokens.isLive(tx, 'verification', text)
        const { before, after } = isRegistration
          ? await verifyRegistration(tx, text)
          : await confirmEmailChange(tx, caller, text)
        // Once: a later change of the address is no first visit.
        if (!before.isVerified)
          await outbox.enqueue(tx, {
            to: after.email,
            userId: after.id,
            template: 'welcome',
            variables: { username: after.username },
          })
        return { before, after }
      }),
  }
}
