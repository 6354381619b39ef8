import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'

/** How the wait for a lock is timed. Tests replace it. */
export interface LockTimer {
  /** Milliseconds since any moment; never goes back. */
  now(): number
  pause(ms: number): Promise<unknown>
}

export const lockTimer: LockTimer = { now: () => performance.now(), pause: sleep }

/** Pause between two attempts to take the write lock, in milliseconds. */
const lockPauseMs = 10

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
      if (!isBusy(error) || timer.now() >= giveUpAt) throw error
    }
    await timer.pause(lockPauseMs)
  }
}

/** Whether another process holds the lock. */
const isBusy = (error: unknown): boolean =>
  error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')
