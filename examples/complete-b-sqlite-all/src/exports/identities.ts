import { desc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { identities as rows } from '../db/schema/identities.ts'
import { exportPart, maxRows } from './types.ts'

/** The accounts at providers that log a user in. */
export const identities = exportPart({
  shape: {
    identities: z.array(
      z.object({
        provider: z.string(),
        issuer: z.string(),
        subject: z.string(),
        email: z.string().nullable(),
        created_at: z.iso.datetime(),
      }),
    ),
  },
  async read({ db, user }) {
    const owned = await db
      .select()
      .from(rows)
      .where(eq(rows.userId, user.id))
      .orderBy(desc(rows.id))
      .limit(maxRows)
    return {
      identities: owned.map(({ provider, issuer, subject, email, createdAt }) => ({
        ...{ provider, issuer, subject, email },
        created_at: createdAt.toISOString(),
      })),
    }
  },
})
