import { id, index, integer, table, text, timestamp } from '../dialect.ts'
import { users } from './users.ts'

/** Sessions (`refresh`), and what was mailed (`verification`, `reset`). Access tokens are signed, and kept nowhere. */
export const tokens = table(
  'tokens',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256: a dump of the database opens no account. */
    token: text('token').notNull().unique(),
    tokenType: text('token_type').$type<'refresh' | 'verification' | 'reset'>().notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    createdAt: timestamp('created_at').notNull(),
    /** Internal, of a session: when its token was replaced last. */
    rotatedAt: timestamp('rotated_at'),
  },
  (token) => [index('tokens_user').on(token.userId), index('tokens_expires_at').on(token.expiresAt)],
)
