import { boolean, id, index, integer, table, text, timestamp } from '../dialect.ts'
import { users } from './users.ts'

/** One row per session, which is one login on one device. A refresh replaces the token and keeps the id. */
export const refreshTokens = table(
  'refresh_tokens',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the refresh token, so that a dump of the database reveals no token. Not looked up: a token has the id. */
    token: text('token').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    isRevoked: boolean('is_revoked').notNull().default(false),
    deviceName: text('device_name'),
    deviceType: text('device_type'),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    /** How the user logged in (RFC 8176), separated by spaces. Null: with the password alone. */
    amr: text('amr'),
    createdAt: timestamp('created_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
    /** Internal: when the token was last replaced. */
    rotatedAt: timestamp('rotated_at'),
  },
  (session) => [
    index('refresh_tokens_user_revoked').on(session.userId, session.isRevoked, session.id),
    index('refresh_tokens_expires_at').on(session.expiresAt),
  ],
)
