import { index, integer, table, text, timestamp } from '../dialect.ts'

/** Internal: how often something was tried within one window of time. Tells neither who exists nor who was where. */
export const attempts = table(
  'attempts',
  {
    /** SHA-256 of what was tried, the account and the client's address. */
    key: text('key').primaryKey(),
    /** SHA-256 of the account: to forget all attempts on it. */
    account: text('account').notNull(),
    count: integer('count').notNull(),
    endsAt: timestamp('ends_at').notNull(),
  },
  (attempt) => [index('attempts_account').on(attempt.account), index('attempts_ends_at').on(attempt.endsAt)],
)
