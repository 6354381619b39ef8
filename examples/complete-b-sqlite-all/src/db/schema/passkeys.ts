import { boolean, id, index, integer, keyText, table, text, timestamp, unique } from '../dialect.ts'
import { users } from './users.ts'

/** The public halves of passkeys. The private ones never leave the devices of their users. */
export const passkeys = table(
  'passkeys',
  {
    id: id(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The name that the device chose for it. */
    credentialId: keyText('credential_id').notNull(),
    /** What devices know the user by, the same for all their passkeys. Random: it can be read without unlocking a device. */
    userHandle: text('user_handle').notNull(),
    /** In COSE (RFC 9052), base64url. */
    publicKey: text('public_key').notNull(),
    /** How many times the device says that it has signed; 0: it does not count. */
    counter: integer('counter').notNull(),
    /** How browsers reach the device, separated by spaces. */
    transports: text('transports').notNull(),
    name: text('name').notNull(),
    /** Whether it is synchronized, so that a lost device does not lose it. */
    isBackedUp: boolean('backed_up').notNull(),
    createdAt: timestamp('created_at').notNull(),
    lastUsedAt: timestamp('last_used_at'),
  },
  (passkey) => [
    unique('passkeys_credential_unique').on(passkey.credentialId),
    index('passkeys_user').on(passkey.userId),
  ],
)
