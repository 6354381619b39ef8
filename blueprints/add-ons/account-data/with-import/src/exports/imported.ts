import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { importedUsers } from '../db/schema/imported-users.ts'
import { exportPart } from './types.ts'

/** What an imported user was in the other system. */
export const imported = exportPart({
  shape: {
    imported: z
      .object({
        external_id: z.string().nullable(),
        invite_since: z.iso.datetime().nullable(),
      })
      .nullable(),
  },
  async read({ db, user }) {
    const [row] = await db.select().from(importedUsers).where(eq(importedUsers.userId, user.id))
    const imported = row && {
      external_id: row.externalId,
      invite_since: row.inviteSince?.toISOString() ?? null,
    }
    return { imported: imported ?? null }
  },
})
