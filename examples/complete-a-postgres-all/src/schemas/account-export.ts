import { z } from 'zod'
import { storedSession } from './stored-session.ts'
import { storedUser } from './stored-user.ts'

const time = z.iso.datetime()

/** All that is stored about a user, except secrets: the newest rows of each table. */
export const accountExport = z
  .object({
    user: storedUser,
    sessions: z.array(storedSession),
    mailed_tokens: z.array(
      z.object({
        kind: z.enum(['verification', 'reset']),
        is_used: z.boolean(),
        created_at: time,
        expires_at: time,
      }),
    ),
    /** Changes that can be undone. */
    email_changes: z.array(z.object({ email: z.string(), expires_at: time })),
    mails: z.array(
      z.object({
        recipient: z.string(),
        subject: z.string(),
        template: z.string(),
        created_at: time,
        sent_at: time.nullable(),
        failed_at: time.nullable(),
      }),
    ),
  })
  .meta({ id: 'AccountExport' })
