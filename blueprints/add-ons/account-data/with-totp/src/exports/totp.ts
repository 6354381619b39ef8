import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { totpSecrets } from '../db/schema/totp.ts'
import { exportPart } from './types.ts'

/** The authenticator app of a user, without its secret. */
export const totp = exportPart({
  shape: { totp: z.object({ created_at: z.iso.datetime() }).nullable() },
  async read({ db, user }) {
    const [row] = await db.select().from(totpSecrets).where(eq(totpSecrets.userId, user.id))
    return { totp: row ? { created_at: row.createdAt.toISOString() } : null }
  },
})
