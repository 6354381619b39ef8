import { desc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { passkeys as rows } from '../db/schema/passkeys.ts'
import { exportPart, maxRows } from './types.ts'

const time = z.iso.datetime()

/** The passkeys of a user: their public halves, which are no secret. */
export const passkeys = exportPart({
  shape: {
    passkeys: z.array(
      z.object({
        name: z.string(),
        credential_id: z.string(),
        user_handle: z.string(),
        public_key: z.string(),
        transports: z.string(),
        counter: z.int(),
        backed_up: z.boolean(),
        created_at: time,
        last_used_at: time.nullable(),
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
      passkeys: owned.map(({ name, transports, counter, ...row }) => ({
        name,
        credential_id: row.credentialId,
        user_handle: row.userHandle,
        public_key: row.publicKey,
        transports,
        counter,
        backed_up: row.isBackedUp,
        created_at: row.createdAt.toISOString(),
        last_used_at: row.lastUsedAt?.toISOString() ?? null,
      })),
    }
  },
})
