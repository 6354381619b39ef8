import { boolean, id, index, integer, keyText, table, text, timestamp } from '../dialect.ts'
import { users } from './users.ts'

/** Emailed codes. */
export const verificationCodes = table(
  'verification_codes',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** HMAC of the code: a plain hash of 80 bits could be searched offline. */
    code: keyText('code').notNull(),
    codeType: text('code_type').notNull(),
    expiresAt: timestamp('expires_at').notNull(),
    /** Also true if a newer code has replaced this one. */
    isUsed: boolean('is_used').notNull().default(false),
    createdAt: timestamp('created_at').notNull(),
  },
  (code) => [
    index('verification_codes_code').on(code.code),
    index('verification_codes_user').on(code.userId),
    index('verification_codes_expires_at').on(code.expiresAt),
  ],
)
