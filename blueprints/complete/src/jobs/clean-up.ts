import { purgeAttempts } from '../accounts/attempts.ts'
import { purgeEmailTokens } from '../accounts/email-token-store.ts'
import { purgeSessions } from '../accounts/session-store.ts'
import { deleteInBatches } from '../db/batches.ts'
import type { Database } from '../db/database.ts'
import { purgeMails } from '../mail/outbox.ts'

/** Deletes what has expired. Several instances may run it: they wait for one another, and the second finds nothing. */
export async function cleanUp(db: Database, now: number): Promise<void> {
  for (const purge of [purgeAttempts, purgeEmailTokens, purgeSessions, purgeMails]) {
    await deleteInBatches(db, (tx, limit) => purge(tx, now, limit))
  }
}
