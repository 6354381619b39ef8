import type { Config } from '../config.ts'
import type { Transaction } from '../db/database.ts'
import { mailedName, withoutLinks } from '../mail/mailed-name.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { User } from '../users/users.ts'

interface LoginNoticeDependencies {
  config: Config
  now: () => number
  outbox: Outbox
}

/**
 * Mails a user that a client logged in which is not familiar: perhaps a thief of the password (ASVS 5.0 section 6.3.5).
 * To a verified address only, because others may belong to strangers.
 */
export const createLoginNotice =
  ({ config, now, outbox }: LoginNoticeDependencies) =>
  async (tx: Transaction, user: User, address: string): Promise<void> => {
    if (!config.email.noticeNewLogin || !user.isVerified) return
    // Such as 2026-11-23 22:10 UTC, which is no language.
    const time = `${new Date(now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    await outbox.enqueue(tx, {
      to: user.email,
      userId: user.id,
      template: 'new_login',
      variables: { username: mailedName(user), time, address: withoutLinks(address) },
    })
  }
