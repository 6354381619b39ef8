import { id, keyText, lowerCase, table, text, timestamp, uniqueIndex } from '../dialect.ts'

/** Programs that get access tokens without a user. A row stays after its revocation: no other client gets its name. */
export const serviceClients = table(
  'service_clients',
  {
    id: id(),
    /** The `client_id`. */
    name: keyText('name').notNull(),
    /** What the client may do, separated by spaces. */
    scope: text('scope').notNull(),
    /** SHA-256 of the secret: no one can guess its 256 random bits. */
    secret: keyText('secret').notNull(),
    /** That of the secret before the last rotation, and when it ends. */
    previousSecret: keyText('previous_secret'),
    previousEndsAt: timestamp('previous_ends_at'),
    createdAt: timestamp('created_at').notNull(),
    revokedAt: timestamp('revoked_at'),
  },
  // Orders and orders are the same name. Otherwise one could pass for the other.
  (client) => [uniqueIndex('service_clients_name_unique').on(lowerCase(client.name))],
)

export type ServiceClient = typeof serviceClients.$inferSelect
