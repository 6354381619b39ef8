import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { recoveryCodes } from '../db/schema/recovery-codes.ts'
import { totpSecrets } from '../db/schema/totp.ts'
import { exportPart } from './types.ts'

const added = z.object({ created_at: z.iso.datetime() })

/** The authenticator app of a user, without its secret, and their recovery codes. */
export const totp = exportPart({
  shape: { totp: added.nullable(), recovery_codes: z.array(added) },
  async read({ db, user }) {
    const [row] = await db.select().from(totpSecrets).where(eq(totpSecrets.userId, user.id))
    const codes = await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, user.id))
    const addedAt = ({ createdAt }: { createdAt: Date }) => ({ created_at: createdAt.toISOString() })
    return { totp: row ? addedAt(row) : null, recovery_codes: codes.map(addedAt) }
  },
})
