import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { deleteInBatches } from '../db/batches.ts'
import type { Database } from '../db/database.ts'
import { expiredRows } from './expired-rows.ts'
import { savePosition, takeTurn } from './turns.ts'

const job = 'clean-up'

/** How long a turn lasts, in milliseconds: the instances together clean up once in this time. */
const turnMs = 10 * 60_000

/** How long a run may take, in milliseconds. It ends before the next turn, so that no two instances clean up at a time. */
const maxRunMs = 9 * 60_000

/** How much of it may read a table by its key, in milliseconds. The next turn continues. */
const maxReadMs = 60_000

interface CleanUpContext {
  config: Config
  db: Database
  log: FastifyBaseLogger
  now: () => number
}

/**
 * Cleans up if no instance has done so in the last ten minutes. Each run of ten instances would read the same rows.
 * @param signal stops it after the current transaction
 */
export async function cleanUpInTurn(context: CleanUpContext, signal?: AbortSignal): Promise<void> {
  try {
    const from = await takeTurn(context.db, job, turnMs)
    if (from !== undefined) await savePosition(context.db, job, await cleanUp(context, from, signal))
  } catch (error) {
    context.log.error({ event: 'clean_up.failed', err: error }, 'clean-up failed')
  }
}

/**
 * Deletes expired rows.
 * @param from where the last run stopped reading by key
 * @param signal stops it after the current transaction
 * @returns where this run stopped, or 0 at the end of the table
 */
export async function cleanUp(
  { config, db, log, now }: CleanUpContext,
  from = 0,
  signal?: AbortSignal,
): Promise<number> {
  const startedAt = now()
  let position = from
  for (const expired of expiredRows({ config, now: startedAt })) {
    const { byKey = false, event } = expired
    const endsAt = Math.min(startedAt + maxRunMs, byKey ? now() + maxReadMs : Infinity)
    const mustStop = () => signal?.aborted === true || now() >= endsAt
    try {
      // After each batch, so that one that fails later does not make the next run begin here again.
      const onEnd = (end = 0) => {
        if (byKey) position = end
      }
      const run = { now: startedAt, from: byKey ? from : 0, mustStop, onEnd }
      const count = await deleteInBatches(db, expired, run)
      if (event !== undefined && count > 0) log.info({ event, count }, 'clean-up deleted rows')
    } catch (error) {
      // The next tables are cleaned up nevertheless: a fault in one must not fill the disk with the others.
      log.error({ event: 'clean_up.failed', err: error }, 'clean-up of a table failed')
    }
  }
  return position
}
