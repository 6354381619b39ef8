import { id, index, integer, keyText, table, text, timestamp, unique } from '../dialect.ts'
import { users } from './users.ts'

/** Sessions (`refresh`) and emailed tokens (all others). Access tokens are not stored. */
export const tokens = table(
  'tokens',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256, so that a dump of the database reveals no token. */
    token: keyText('token').notNull(),
    tokenType: text('token_type').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    /** How the user logged in (RFC 8176), separated by spaces. Null: with the password alone. */
    amr: text('amr'),
    createdAt: timestamp('created_at').notNull(),
    /** Internal: when the token of a session was last replaced. */
    rotatedAt: timestamp('rotated_at'),
  },
  (token) => [
    unique('tokens_token_unique').on(token.token),
    index('tokens_user').on(token.userId),
    index('tokens_expires_at').on(token.expiresAt),
  ],
)
