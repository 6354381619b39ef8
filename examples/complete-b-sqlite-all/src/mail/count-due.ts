import type { Database } from '../db/database.ts'
import { outbox } from '../db/schema/outbox.ts'
import { isDue } from './claim.ts'
import type { OutboxTime } from './outbox.ts'

/** Counts the due emails, up to 10,000: a scrape of the metrics must not read a whole backlog. */
export async function countDueMails({ read }: Database, time: OutboxTime): Promise<number> {
  return (await read.select({ id: outbox.id }).from(outbox).where(isDue(time)).limit(10_000)).length
}
