import { purgeAttempts } from '../accounts/attempts.ts'
import { deleteInBatches } from '../db/batches.ts'
import type { Database } from '../db/database.ts'

/** Deletes what has expired. */
export async function cleanUp(db: Database, now: number): Promise<void> {
  await deleteInBatches(db, (tx, limit) => purgeAttempts(tx, now, limit))
}
