import { deleteInBatches } from '../db/batches.ts'
import type { Database } from '../db/database.ts'
import { purgeEmailTokens } from '../email-tokens/store.ts'
import { purgeUndoTokens } from '../email-tokens/undo-tokens.ts'
import { purgeAttempts } from '../limits/attempts.ts'
import { purgeMails } from '../mail/outbox.ts'
import { purgeSessions } from '../sessions/store.ts'

/** Deletes expired rows. Several instances may run it: they wait for one another, and the second finds nothing. */
export async function cleanUp(db: Database, now: number): Promise<void> {
  for (const purge of [purgeAttempts, purgeEmailTokens, purgeUndoTokens, purgeSessions, purgeMails]) {
    await deleteInBatches(db, (tx, limit) => purge(tx, now, limit))
  }
}
