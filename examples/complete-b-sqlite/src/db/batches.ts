import type { Database, Transaction } from './database.ts'

/** Small enough for an index lookup per row in PostgreSQL, and for short locks. */
const batchSize = 250

/**
 * Deletes rows in many short transactions: after an outage there may be millions. Every instance starts with the
 * oldest, because two instances that lock rows in different orders would deadlock.
 * @param deleteSome deletes at most `limit` rows and resolves to the number of rows it found
 */
export async function deleteInBatches(
  db: Database,
  deleteSome: (tx: Transaction, limit: number) => Promise<number>,
): Promise<void> {
  let found: number
  do {
    // Rows that a power cut restores are deleted by the next run.
    found = await db.transaction((tx) => deleteSome(tx, batchSize), { durable: false })
  } while (found === batchSize)
}
