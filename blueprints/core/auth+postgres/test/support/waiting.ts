import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Transaction } from '../../src/db/database.ts'

/** Resolves when another transaction waits for a row that this one has locked. */
export const untilOneWaits = (tx: Transaction) =>
  expect.poll(() => countWaiting(tx), { timeout: 300_000 }).toBe(1)

async function countWaiting(tx: Transaction): Promise<number> {
  const { rows } = (await tx.execute(
    sql`SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`,
  )) as { rows: { waiting: number }[] }
  return rows[0]?.waiting ?? 0
}
