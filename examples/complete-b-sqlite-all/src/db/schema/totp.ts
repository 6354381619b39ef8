import { integer, table, text, timestamp } from '../dialect.ts'
import { users } from './users.ts'

/** The authenticator apps of users who have proved a code of it. */
export const totpSecrets = table('totp', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Encrypted, so that a dump of the database gives no codes. */
  secret: text('secret').notNull(),
  /** The last step of 30 seconds whose code was accepted. */
  lastStep: integer('last_step').notNull(),
  createdAt: timestamp('created_at').notNull(),
})
