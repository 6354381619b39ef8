import { id, index, integer, keyText, table, timestamp } from '../dialect.ts'
import { users } from './users.ts'

/** Codes that replace a second factor, each once: a used one is deleted. */
export const recoveryCodes = table(
  'recovery_codes',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** HMAC of the code: a plain hash of 50 bits could be searched offline. */
    code: keyText('code').notNull(),
    createdAt: timestamp('created_at').notNull(),
  },
  (code) => [index('recovery_codes_user').on(code.userId)],
)
