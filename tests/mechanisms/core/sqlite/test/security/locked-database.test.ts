import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { connect, openDatabase } from '../../src/db/database.ts'
import { isUnavailable } from '../../src/db/dialect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createTestApp } from '../support/app.ts'
import { temporaryDatabase } from '../support/database.ts'
import { expectProblem } from '../support/problem.ts'

const busyTimeoutMs = 200

/**
 * An app whose database file another process has locked. Time passes only while a transaction waits for the lock.
 * @param onPause runs at each pause between two attempts to take the lock
 */
async function lockedApp(onPause: (pauses: number) => unknown = () => {}) {
  const database = await temporaryDatabase()
  const file = database.url.slice('file:'.length)
  const timer = {
    time: 0,
    pauses: 0,
    now: () => timer.time,
    async pause(ms: number) {
      timer.time += ms
      timer.pauses += 1
      await onPause(timer.pauses)
    },
  }
  await migrate({ file, busyTimeoutMs })
  const db = openDatabase({ file, busyTimeoutMs }, timer)
  const other = connect({ file, busyTimeoutMs: 0 })
  onTestFinished(async () => {
    other.close()
    await db.close()
    await database.remove()
  })
  other.exec('BEGIN IMMEDIATE')
  const app = await createTestApp({}, false, { db })
  app.get('/write', () => db.transaction(async () => 'written'))
  return { app, db, timer, release: () => other.exec('ROLLBACK') }
}

test('SQLite itself does not wait, because that would freeze the process', async () => {
  const { db, release } = await lockedApp()
  release()
  const query = sql`PRAGMA busy_timeout`
  const reader = db.read as unknown as { get(query: unknown): unknown }
  expect(await db.transaction(async (tx) => tx.get(query))).toEqual({ timeout: 0 })
  expect(reader.get(query)).toEqual({ timeout: 0 })
})

// A long write of another process (a backup, a console) must not stop the service, and few requests must not prolong it.
test('while another process holds the lock, requests that do not write are answered', async () => {
  const answers: number[] = []
  const { app } = await lockedApp(async (pauses) => {
    if (pauses > 3) return
    for (const url of ['/health/live', '/health/ready']) answers.push((await app.inject({ url })).statusCode)
  })
  const response = await app.inject({ url: '/write' })
  expectProblem(response, 'unavailable')
  expect(response.headers['retry-after']).toBe('1')
  expect(answers).toEqual([200, 200, 200, 200, 200, 200])
})

test('a write succeeds as soon as the lock is released', async () => {
  const { app, timer, release } = await lockedApp((pauses) => pauses === 15 && release())
  expect((await app.inject({ url: '/write' })).body).toBe('written')
  expect(timer.pauses).toBe(15)
})

test('all writes that wait fail after the same time, and later ones succeed', async () => {
  const { app, db, timer, release } = await lockedApp()
  const write = () => db.transaction(async () => {})
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, write))
  for (const outcome of outcomes) expect('reason' in outcome && isUnavailable(outcome.reason)).toBe(true)
  expect(timer.time).toBeGreaterThanOrEqual(busyTimeoutMs)
  expect(timer.time).toBeLessThan(2 * busyTimeoutMs)
  release()
  expect((await app.inject({ url: '/write' })).body).toBe('written')
})
