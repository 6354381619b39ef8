import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'

/** A transaction that waits for its turn. */
interface Waiting {
  /** Runs its statements. Resolves to what tells the caller its result, which must not hear of it before the commit. */
  run: () => Promise<() => void>
  reject: (error: unknown) => void
  durable: boolean
  /** When to stop waiting for the lock of another process, in the time of the timer. */
  giveUpAt: number
}

/** How the wait for a lock is timed. Tests replace it. */
export const lockTimer = {
  /** Milliseconds since any moment; never goes back. */
  now: () => performance.now(),
  pause: (ms: number): Promise<unknown> => sleep(ms),
}

/** Pause between two attempts to take the write lock, in milliseconds. */
const lockPauseMs = 10

/**
 * Runs transactions one after another, and commits those that wait at the same moment together: they wait for the disk
 * once. Each is a savepoint, so one that fails leaves nothing behind, and the others commit.
 */
export function createGroupCommit(writer: SQLite.Database, timer: typeof lockTimer) {
  const waiting: Waiting[] = []
  let running: Promise<void> | undefined

  async function runWaiting(): Promise<void> {
    while (waiting.length > 0) {
      // Requests that have arrived by now can join. Others get their turn: no query of SQLite leaves it to them.
      await setImmediate()
      waiting.splice(0, await runGroup([...waiting]))
    }
    running = undefined
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
      // All that ran is undone, and gets this error: also what failed by itself, perhaps because of a change that is undone.
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
        running ??= runWaiting()
      }),
    /** Resolves when no transaction waits or runs. */
    finish: async (): Promise<void> => running,
  }
}

/**
 * Begins a transaction, and waits for the lock of another process without blocking this one. IMMEDIATE takes the write
 * lock first, so a transaction that reads and then writes has no conflicts.
 * @param giveUpAt when to throw the error of SQLite, in the time of the timer
 */
export async function begin(connection: SQLite.Database, giveUpAt: number, timer = lockTimer): Promise<void> {
  for (;;) {
    try {
      connection.exec('BEGIN IMMEDIATE')
      return
    } catch (error) {
      const isBusy = error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!isBusy || timer.now() >= giveUpAt) throw error
    }
    await timer.pause(lockPauseMs)
  }
}
