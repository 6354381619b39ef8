import { isNotNull } from 'drizzle-orm'
import {
  boolean,
  id,
  index,
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
    /** The last verified address, while `email` is an unverified one. Stays reserved for the user. */
    verifiedEmail: keyText('verified_email'),
    /** Time of the registration, until the first login or the verification. */
    unclaimedSince: timestamp('unclaimed_since'),
    createdAt: timestamp('created_at').notNull(),
  },
  (user) => [
    unique('users_verified_email_unique').on(user.verifiedEmail),
    // Alice and alice are the same name. Otherwise one user could impersonate the other.
    uniqueIndex('users_email_unique').on(lowerCase(user.email)),
    uniqueIndex('users_username_unique').on(lowerCase(user.username)),
    index('users_unclaimed').on(user.unclaimedSince).where(isNotNull(user.unclaimedSince)),
  ],
)

export type User = typeof users.$inferSelect
