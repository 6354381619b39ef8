import { id, keyText, table, timestamp, uniqueIndex } from '../dialect.ts'

/** Requests for emails that plugins/jobs.ts has not handled yet. */
export const mailRequests = table(
  'mail_requests',
  {
    id: id(),
    /** The kind of token to email. */
    kind: keyText('kind').notNull(),
    /** As requested, normalized. It may belong to no user. */
    email: keyText('email').notNull(),
    createdAt: timestamp('created_at').notNull(),
  },
  // One waiting request is enough: a flood of requests for one address must not fill the table.
  (request) => [uniqueIndex('mail_requests_kind_email').on(request.kind, request.email)],
)
