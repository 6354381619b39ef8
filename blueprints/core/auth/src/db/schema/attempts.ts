import { index, integer, keyText, table, timestamp } from '../dialect.ts'

/** Internal: counts attempts within a time window, remembers clients, and the last clean-up. Hashes hide names. */
export const attempts = table(
  'attempts',
  {
    /** SHA-256 of the kind of attempt, the account and the client's address. */
    key: keyText('key').primaryKey(),
    /** SHA-256 of the kind of attempt and the account, to delete all its attempts. */
    account: keyText('account').notNull(),
    count: integer('count').notNull(),
    endsAt: timestamp('ends_at').notNull(),
  },
  (attempt) => [index('attempts_account').on(attempt.account), index('attempts_ends_at').on(attempt.endsAt)],
)
