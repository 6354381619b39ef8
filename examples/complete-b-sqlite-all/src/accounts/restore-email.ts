import type { Access } from '../access/access.ts'
import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import type { EmailTokens } from '../email-tokens/email-tokens.ts'
import { forgetClients } from '../limits/familiar-clients.ts'
import { emailChangedNotice } from '../mail/email-changed-notice.ts'
import type { Outbox } from '../mail/outbox.ts'
import { unusablePassword } from '../passwords/verify-hash.ts'
import type { User } from '../users/users.ts'
import { restoredMail } from './mails.ts'
import { setProvedEmail } from './proved-email.ts'

interface RestoreDependencies {
  access: Access
  config: Config
  emailTokens: EmailTokens
  now: () => number
  outbox: Outbox
}

/**
 * Gives an account back to the owner of an address, and locks everyone else out: no session, password or token from before
 * is valid, and a password reset is emailed to the address. The user's row is locked.
 * @throws ApiError invalid_or_expired_token if the address belongs to another user now
 */
export async function restoreEmail(
  tx: Transaction,
  { access, config, emailTokens, now, outbox }: RestoreDependencies,
  user: User,
  email: string,
): Promise<User> {
  // A thief may have set the password, and would log in with it.
  const restored = await setProvedEmail(tx, user, email, now(), { hashedPassword: unusablePassword })
  await access.endAccess(tx, user.id)
  await forgetClients(tx, user.id)
  // Otherwise a thief who reads the former mailbox could take the account unnoticed.
  if (user.isVerified && user.email !== email) await outbox.enqueue(tx, emailChangedNotice(user))
  const token = await emailTokens.issue(tx, restored, 'reset')
  await outbox.enqueue(tx, restoredMail(restored, token, config))
  return restored
}
