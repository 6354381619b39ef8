import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { deleteInBatches } from '../db/batches.ts'
import type { Database } from '../db/database.ts'
import { expiredRows } from './expired-rows.ts'
import { takeTurn } from './turns.ts'

/** How long a turn lasts, in milliseconds: the instances together clean up once in this time. */
const turnMs = 10 * 60_000

/** How long a run may take, in milliseconds. It ends before the next turn, so that no two instances clean up at a time. */
const maxRunMs = 9 * 60_000

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
    const turn = await takeTurn(context.db, 'clean-up', turnMs)
    if (turn !== undefined) await cleanUp(context, turn, signal)
  } catch (error) {
    context.log.error({ event: 'clean_up.failed', err: error }, 'clean-up failed')
  }
}

/**
 * Deletes expired rows.
 * @param turn chooses the part of a large table
 * @param signal stops it after the current transaction
 */
export async function cleanUp(
  { config, db, log, now }: CleanUpContext,
  turn = 1,
  signal?: AbortSignal,
): Promise<void> {
  const startedAt = now()
  const mustStop = () => signal?.aborted === true || now() - startedAt >= maxRunMs
  for (const expired of expiredRows(config, startedAt)) {
    try {
      const count = await deleteInBatches(db, expired, { now: startedAt, turn, mustStop })
      const { event } = expired
      if (event !== undefined && count > 0) log.info({ event, count }, 'clean-up deleted rows')
    } catch (error) {
      // The next tables are cleaned up nevertheless: a fault in one must not fill the disk with the others.
      log.error({ event: 'clean_up.failed', err: error }, 'clean-up of a table failed')
    }
  }
}
