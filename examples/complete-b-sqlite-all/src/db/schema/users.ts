import { isNotNull } from 'drizzle-orm'
import {
  boolean,
  id,
  index,
  integer,
  keyText,
  lowerCase,
  table,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from '../dialect.ts'

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
    isVerified: boolean('is_verified').notNull().default(false),
    /** The address of a change that waits for its confirmation, the hash of its token, and the session that asked. */
    pendingEmail: text('pending_email'),
    pendingEmailToken: keyText('pending_email_token'),
    pendingEmailSession: integer('pending_email_session'),
    pendingEmailExpiresAt: timestamp('pending_email_expires_at'),
    /** Time of the registration, until the first login or the verification. */
    unclaimedSince: timestamp('unclaimed_since'),
    isSuperuser: boolean('is_superuser').notNull().default(false),
    updatedAt: timestamp('updated_at')
      .notNull()
      .default(timestamp.epoch)
      // The system clock: a table cannot know app.now.
      .$onUpdate(() => new Date()),
    lastLoginAt: timestamp('last_login_at'),
    createdAt: timestamp('created_at').notNull(),
  },
  (user) => [
    unique('users_pending_email_token_unique').on(user.pendingEmailToken),
    // Alice and alice are the same name. Otherwise one user could impersonate the other.
    uniqueIndex('users_email_unique').on(lowerCase(user.email)),
    uniqueIndex('users_username_unique').on(lowerCase(user.username)),
    index('users_pending_email').on(user.pendingEmailExpiresAt).where(isNotNull(user.pendingEmailExpiresAt)),
    index('users_unclaimed').on(user.unclaimedSince).where(isNotNull(user.unclaimedSince)),
  ],
)

export type User = typeof users.$inferSelect
