import { boolean, id, lowerCase, table, text, timestamp, uniqueIndex } from '../dialect.ts'

export const users = table(
  'users',
  {
    id: id(),
    /** Normalized by users/names.ts: lower case, international domains in ASCII form. */
    email: text('email').notNull(),
    /** As typed at registration. Never changes. */
    username: text('username').notNull(),
    hashedPassword: text('hashed_password').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    isSuperuser: boolean('is_superuser').notNull().default(false),
    updatedAt: timestamp('updated_at')
      .notNull()
      .default(timestamp.epoch)
      // The system clock: a table cannot know app.now.
      .$onUpdate(() => new Date()),
    createdAt: timestamp('created_at').notNull(),
    /** Internal: access tokens issued before this time are revoked. Set by a deactivation or a new password. */
    tokensValidFrom: timestamp('tokens_valid_from'),
  },
  (user) => [
    // Alice and alice are the same name. Otherwise one user could impersonate the other.
    uniqueIndex('users_email_unique').on(lowerCase(user.email)),
    uniqueIndex('users_username_unique').on(lowerCase(user.username)),
  ],
)

export type User = typeof users.$inferSelect
