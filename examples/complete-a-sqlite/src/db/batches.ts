import type { Database, Transaction } from './database.ts'

/** So few that PostgreSQL looks them up one by one, that a statement ends long before its time, and that nobody waits. */
const batchSize = 250

/**
 * Deletes a number of rows that may be millions, after an outage say, in many short transactions. The oldest first, in
 * every instance: two of them that lock rows in different orders would lock each other out.
 * @param deleteSome deletes as many as `limit` of them, and resolves to how many it found
 */
export async function deleteInBatches(
  db: Database,
  deleteSome: (tx: Transaction, limit: number) => Promise<number>,
): Promise<void> {
  let found: number
  do {
    // What a power cut brings back is deleted the next time.
    found = await db.transaction((tx) => deleteSome(tx, batchSize), { durable: false })
  } while (found === batchSize)
}
