import { setImmediate } from 'node:timers/promises'
import type SQLite from 'better-sqlite3'
import pLimit from 'p-limit'
import { begin, type LockTimer } from './begin.ts'

/** A transaction that waits for its turn. */
interface Waiting {
  /** Runs its statements. Resolves to what tells the caller its result, which must not hear of it before the commit. */
  run: () => Promise<() => void>
  reject: (error: unknown) => void
  durable: boolean
  /** When to stop waiting for the lock of another process, in the time of the timer. */
  giveUpAt: number
}

/**
 * Runs transactions one after another, and commits those that wait at the same moment together: they wait for the disk
 * once. Each is a savepoint, so one that fails leaves nothing behind, and the others commit.
 */
export function createGroupCommit(writer: SQLite.Database, timer: LockTimer) {
  const oneAtATime = pLimit(1)
  const waiting: Waiting[] = []

  async function runWaiting(): Promise<void> {
    // Requests that have arrived by now can join.
    await setImmediate()
    let group = waiting.splice(0)
    while (group.length > 0) group = group.slice(await runGroup(group))
  }

  /** @returns how many of the group are done, and at least one: all, unless an error ended it early */
  async function runGroup(group: Waiting[]): Promise<number> {
    const tell: (() => void)[] = []
    try {
      // FULL: a committed change survives a power failure. NORMAL: the disk write follows later, so a power failure
      // can lose the change. A crash of the process cannot.
      writer.pragma(`synchronous = ${group.some(({ durable }) => durable) ? 'FULL' : 'NORMAL'}`)
      await begin(writer, group[0]?.giveUpAt ?? 0, timer)
      for (const transaction of group) tell.push(await runInSavepoint(transaction))
      writer.exec('COMMIT')
    } catch (error) {
      // The error of one that failed by itself may rest on a change of another, which is undone now.
      const undone = group.slice(0, tell.length + 1)
      for (const { reject } of undone) reject(error)
      return undone.length
    } finally {
      rollBack()
    }
    for (const end of tell) end()
    return group.length
  }

  function rollBack(): void {
    try {
      if (writer.inTransaction) writer.exec('ROLLBACK')
    } catch {
      // The next BEGIN fails for the same reason, and its transactions learn it.
    }
  }

  async function runInSavepoint({ run, reject }: Waiting): Promise<() => void> {
    writer.exec('SAVEPOINT work')
    try {
      const tell = await run()
      writer.exec('RELEASE work')
      return tell
    } catch (error) {
      // After some errors, such as a full disk, SQLite rolls back the group (sqlite.org/lang_transaction.html section 3.2).
      if (!writer.inTransaction) throw error
      writer.exec('ROLLBACK TO work; RELEASE work')
      return () => reject(error)
    }
  }

  return {
    /** Runs `work` in the next group. Settles after its commit. */
    add: <Result>(work: () => Promise<Result>, options: Pick<Waiting, 'durable' | 'giveUpAt'>) =>
      new Promise<Result>((resolve, reject) => {
        const run = async () => {
          const result = await work()
          return () => resolve(result)
        }
        waiting.push({ run, reject, ...options })
        if (waiting.length === 1) void oneAtATime(runWaiting)
      }),
    /** Runs `work` when all transactions have ended that were added before. */
    finish: (work: () => void): Promise<void> => oneAtATime(work),
  }
}
