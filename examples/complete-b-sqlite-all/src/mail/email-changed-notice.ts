import type { User } from '../users/users.ts'
import { mailedName } from './mailed-name.ts'
import type { OutgoingMail } from './outbox.ts'

/** The notice to an address that the account no longer has, without a way back. */
export const emailChangedNotice = (user: User): OutgoingMail => ({
  to: user.email,
  userId: user.id,
  template: 'email_changed',
  variables: { username: mailedName(user) },
})
