import type { Context } from '../context.ts'
import { outbox } from '../db/schema/outbox.ts'
import { isDue } from './workers.ts'

/** Counts the due emails, up to 10,000: a scrape of the metrics must not read a whole backlog. */
export async function countDueEmails(ctx: Context): Promise<number> {
  const due = ctx.db.read.select({ id: outbox.id }).from(outbox).where(isDue(ctx.outbox.time))
  return (await due.limit(10_000)).length
}
