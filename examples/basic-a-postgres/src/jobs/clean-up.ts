import { purgeAttempts } from '../accounts/attempts.ts'
import type { Database } from '../db/database.ts'

/** Deletes what has expired. */
export async function cleanUp(db: Database, now: number): Promise<void> {
  await db.transaction((tx) => purgeAttempts(tx, now))
}
