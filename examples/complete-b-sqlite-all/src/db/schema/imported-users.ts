import { isNotNull } from 'drizzle-orm'
import { index, integer, keyText, table, text, timestamp, uniqueIndex } from '../dialect.ts'
import { users } from './users.ts'

/** What imported users were elsewhere, and what is left to do for them. */
export const importedUsers = table(
  'imported_users',
  {
    userId: integer('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The format of the file. Two systems can have the same ids. */
    source: text('source').notNull(),
    /** The id that the user had in the other system. */
    externalId: text('external_id'),
    /** What decides how long the imported hash takes, see passwords/foreign/pace.ts. Null if it takes as long as others. */
    hashKind: keyText('hash_kind'),
    /** Since when the user waits for the email in which they set a password. Null if none waits. */
    inviteSince: timestamp('invite_since'),
  },
  (imported) => [
    uniqueIndex('imported_users_external_id').on(imported.source, imported.externalId),
    index('imported_users_hash_kind')
      .on(imported.hashKind, imported.userId)
      .where(isNotNull(imported.hashKind)),
    index('imported_users_invite')
      .on(imported.inviteSince, imported.userId)
      .where(isNotNull(imported.inviteSince)),
  ],
)
