import { deleteInBatches } from '../db/batches.ts'
import type { Database } from '../db/database.ts'
import { purgeAttempts } from '../limits/attempts.ts'

/** Deletes expired rows. */
export async function cleanUp(db: Database, now: number): Promise<void> {
  await deleteInBatches(db, (tx, limit) => purgeAttempts(tx, now, limit))
}
