import { id, index, integer, keyText, table, text, timestamp, unique } from '../dialect.ts'
import { users } from './users.ts'

/** What a sign-in waits for: logins that lack the second factor, and emailed codes. None of them is a session. */
export const signInTokens = table(
  'sign_in_tokens',
  {
    id: id(),
    /** Hash of the token. */
    token: keyText('token').notNull(),
    /** Part of every query: a token for one purpose is valid for no other. */
    purpose: text('purpose').notNull(),
    /** Null: it belongs to no user yet. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The session that asked for it. Null: it did not need one. */
    sessionId: integer('session_id'),
    /** What else it depends on, as JSON. */
    data: text('data').notNull(),
    /** Wrong codes. */
    tries: integer('tries').notNull().default(0),
    createdAt: timestamp('created_at').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
  },
  (token) => [
    unique('sign_in_tokens_token_unique').on(token.token),
    index('sign_in_tokens_user').on(token.userId),
    index('sign_in_tokens_expires_at').on(token.expiresAt),
  ],
)
