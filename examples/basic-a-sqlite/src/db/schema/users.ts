import { sql } from 'drizzle-orm'
import { boolean, id, table, text, timestamp, uniqueIndex } from '../dialect.ts'

export const users = table(
  'users',
  {
    id: id(),
    /** As accounts/names.ts writes it: lower case, an international domain in its ASCII form. */
    email: text('email').notNull(),
    /** As typed at registration; never changes. */
    username: text('username').notNull(),
    hashedPassword: text('hashed_password').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: timestamp('created_at').notNull(),
    /** Internal: an access token issued before this moment is void. Moves on at a deactivation or a new password. */
    tokensValidFrom: timestamp('tokens_valid_from').notNull(),
  },
  (user) => [
    // Alice and alice are one name: two rows would let one of them pose as the other.
    uniqueIndex('users_email_unique').on(sql`lower(${user.email})`),
    uniqueIndex('users_username_unique').on(sql`lower(${user.username})`),
  ],
)

export type User = typeof users.$inferSelect
