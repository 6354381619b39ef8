import { and, eq, isNull, type SQL } from 'drizzle-orm'
import type { Transaction } from './database.ts'
import { timeIn } from './queries.ts'
import { outbox } from './schema/outbox.ts'

/** Gives up emails of a user that are not sent yet, because their tokens are void. */
export async function giveUpUnsent(tx: Transaction, userId: number, which: SQL): Promise<void> {
  await tx
    .update(outbox)
    .set({ failedAt: timeIn(0) })
    .where(and(eq(outbox.userId, userId), isNull(outbox.sentAt), isNull(outbox.failedAt), which))
}
