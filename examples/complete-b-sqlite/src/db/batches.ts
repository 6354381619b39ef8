import type { Database, Transaction } from './database.ts'

/** So few that a statement ends long before the limit on its time, and that nobody waits for it noticeably. */
const batchSize = 1_000

/**
 * Deletes a number of rows that may be millions, after an outage say, in many short transactions.
 * @param deleteSome deletes as many as `limit` of them, and resolves to how many it found
 */
export async function deleteInBatches(
  db: Database,
  deleteSome: (tx: Transaction, limit: number) => Promise<number>,
): Promise<void> {
  let found: number
  do {
    found = await db.transaction((tx) => deleteSome(tx, batchSize))
  } while (found === batchSize)
}
