import { id, index, integer, keyText, table, text, timestamp, unique } from '../dialect.ts'
import { users } from './users.ts'

/** Accounts at providers that log a user in. No token of a provider is stored. */
export const identities = table(
  'identities',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Who vouches for the subject: another issuer may have the same one. */
    issuer: keyText('issuer').notNull(),
    /** The account at the issuer, which never changes. An address may get another owner. */
    subject: keyText('subject').notNull(),
    /** The name of the provider in the settings, when it was added. */
    provider: text('provider').notNull(),
    /** The address of the account there, when it was added: to show, never to compare. */
    email: text('email'),
    createdAt: timestamp('created_at').notNull(),
  },
  (identity) => [
    unique('identities_issuer_subject_unique').on(identity.issuer, identity.subject),
    index('identities_user').on(identity.userId),
  ],
)
