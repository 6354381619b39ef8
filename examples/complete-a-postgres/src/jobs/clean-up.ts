import { lt } from 'drizzle-orm'
import { purgeAttempts } from '../accounts/attempts.ts'
import { purgeEmailTokens } from '../accounts/email-token-store.ts'
import { purgeSessions } from '../accounts/session-store.ts'
import type { Database } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'

/** How long a mail is remembered: for the owner's questions. It was sent or given up long before, or nothing sends mails. */
const keepMailMs = 7 * 24 * 60 * 60 * 1000

/** Deletes what has expired. Several instances may run it: they wait for one another, and the second finds nothing. */
export async function cleanUp(db: Database, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    await purgeAttempts(tx, now)
    await purgeEmailTokens(tx, now)
    await purgeSessions(tx, now)
    await tx.delete(outbox).where(lt(outbox.createdAt, new Date(now - keepMailMs)))
  })
}
