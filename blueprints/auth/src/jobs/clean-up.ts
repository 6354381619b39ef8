import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { deleteInBatches } from '../db/batches.ts'
import type { Database } from '../db/database.ts'
import { expiredRows } from './expired-rows.ts'

interface CleanUpContext {
  config: Config
  db: Database
  log: FastifyBaseLogger
  now: () => number
}

/**
 * Deletes expired rows. Several instances may run it: they wait for one another, and the second finds nothing.
 * @param signal stops it after the current transaction
 */
export async function cleanUp({ config, db, log, now }: CleanUpContext, signal?: AbortSignal): Promise<void> {
  const startedAt = now()
  for (const expired of expiredRows(config, startedAt)) {
    try {
      const count = await deleteInBatches(db, expired, startedAt, signal)
      const { event } = expired
      if (event !== undefined && count > 0) log.info({ event, count }, 'clean-up deleted rows')
    } catch (error) {
      // The next tables are cleaned up nevertheless: a fault in one must not fill the disk with the others.
      log.error({ event: 'clean_up.failed', err: error }, 'clean-up of a table failed')
    }
  }
}
