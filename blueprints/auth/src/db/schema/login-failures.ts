import { index, integer, table, text, timestamp } from '../dialect.ts'

/** Internal: failed logins of one account from one address, within one window of time. */
export const loginFailures = table(
  'login_failures',
  {
    /** SHA-256 of account and address: the table tells neither who exists nor who was where. */
    key: text('key').primaryKey(),
    count: integer('count').notNull(),
    endsAt: timestamp('ends_at').notNull(),
  },
  (failure) => [index('login_failures_ends_at').on(failure.endsAt)],
)
