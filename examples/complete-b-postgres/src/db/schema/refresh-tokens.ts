import { boolean, id, index, integer, table, text, timestamp } from '../dialect.ts'
import { users } from './users.ts'

/** One row a session, which is one log-in on one device. Its token is replaced in place: the id stays. */
export const refreshTokens = table(
  'refresh_tokens',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the refresh token: a dump of the database opens no account. */
    token: text('token').notNull().unique(),
    expiresAt: timestamp('expires_at').notNull(),
    isRevoked: boolean('is_revoked').notNull().default(false),
    deviceName: text('device_name'),
    deviceType: text('device_type'),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: timestamp('created_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
    /** Internal: when the token was replaced last. */
    rotatedAt: timestamp('rotated_at'),
  },
  (session) => [
    index('refresh_tokens_user').on(session.userId),
    index('refresh_tokens_expires_at').on(session.expiresAt),
  ],
)
