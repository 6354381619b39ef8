import { id, index, integer, keyText, table, timestamp, unique } from '../dialect.ts'
import { users } from './users.ts'

/** Verified addresses that users have changed, for as long as an emailed token can undo that. */
export const emailChanges = table(
  'email_changes',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The address that the token restores. Stays reserved for the user. */
    email: keyText('email').notNull(),
    /** Hash of the token. */
    token: keyText('token').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    /** Later changes extend `expiresAt`, but not beyond this. */
    maxExpiresAt: timestamp('max_expires_at').notNull(),
  },
  (change) => [
    unique('email_changes_token_unique').on(change.token),
    index('email_changes_user').on(change.userId),
    index('email_changes_email').on(change.email),
    index('email_changes_expires_at').on(change.expiresAt),
  ],
)
