import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { timeIn } from '../../src/db/queries.ts'
import { attempts } from '../../src/db/schema/attempts.ts'
import { cleanUp, takeTurn } from '../../src/jobs/clean-up.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

/** A busy machine may take this long. */
const patient = { timeout: 300_000 }

const count = (app: TestApp) => app.db.read.$count(attempts)

/** Adds counts whose windows end at the same moment. */
const add = (app: TestApp, keys: string[], endsAt: number) =>
  app.db.transaction(async (tx) => {
    const rows = keys.map((key) => ({ key, account: 'alice', count: 1, endsAt: new Date(endsAt) }))
    await tx.insert(attempts).values(rows)
  })

/** An app with three batches of counts whose windows have ended. */
async function appWithBacklog(write: (line: string) => void = () => {}) {
  const app = await createTestApp({}, { level: 'error', stream: { write } })
  const keys = Array.from({ length: 501 }, (_, n) => `key-${n}`)
  await add(app, keys, app.now() - 1)
  return app
}

/** Runs the clean-up, and `before` in front of each of its transactions. */
async function cleanUpWith(app: TestApp, before: () => Promise<unknown>, signal?: AbortSignal) {
  const transaction: Database['transaction'] = async (work, options) => {
    await before()
    return app.db.transaction(work, options)
  }
  await cleanUp({ ...app.ctx, db: { ...app.db, transaction } }, signal)
}

test('only counts whose window has ended are deleted', async () => {
  const app = await createTestApp()
  await add(app, ['ended'], app.now() - 1)
  await add(app, ['open'], app.now())
  await cleanUp(app.ctx)
  expect(await app.db.read.select({ key: attempts.key }).from(attempts)).toEqual([{ key: 'open' }])
})

// Otherwise one instance with a wrong clock would log out the users of all.
test('an instance whose clock is ahead deletes nothing that is valid by the clock of the database', async () => {
  const app = await createTestApp()
  const halfHourMs = 30 * 60_000
  await add(app, ['valid'], Date.now() + halfHourMs)
  await add(app, ['ended'], Date.now() - halfHourMs)
  await cleanUp({ ...app.ctx, now: () => Date.now() + 2 * halfHourMs })
  expect(await app.db.read.select({ key: attempts.key }).from(attempts)).toEqual([{ key: 'valid' }])
})

// 100,000 expired rows stopped a service on SQLite for seconds.
test('a backlog is deleted in short transactions, each in its own turn of the event loop', async () => {
  const app = await appWithBacklog()
  let turn = 0
  let next: NodeJS.Immediate
  const takeTurn = () => {
    turn += 1
    next = setImmediate(takeTurn)
  }
  takeTurn()
  onTestFinished(() => clearImmediate(next))
  const turns: number[] = []
  const rows: number[] = []
  await cleanUpWith(app, async () => {
    turns.push(turn)
    rows.push(await count(app))
  })
  expect(rows.slice(0, 3)).toEqual([501, 251, 1])
  expect(new Set(turns.slice(0, 3)).size).toBe(3)
  expect(await count(app)).toBe(0)
})

// On PostgreSQL, a batch that starts at the beginning reads all rows that were deleted since the last vacuum.
test('a batch continues where the last one ended', async () => {
  const app = await appWithBacklog()
  let batch = 0
  await cleanUpWith(app, async () => {
    batch += 1
    if (batch === 2) await add(app, ['older'], app.now() - 2)
  })
  expect(await app.db.read.select({ key: attempts.key }).from(attempts)).toEqual([{ key: 'older' }])
})

test('a service that stops does not wait for the whole backlog', async () => {
  const app = await appWithBacklog()
  const controller = new AbortController()
  await cleanUpWith(app, async () => controller.abort(), controller.signal)
  expect(await count(app)).toBe(251)
})

test('a failure is logged, and deletes nothing', async () => {
  const lines: string[] = []
  const app = await appWithBacklog((line) => void lines.push(line))
  await cleanUpWith(app, () => Promise.reject(new Error('disk full')))
  expect(await count(app)).toBe(501)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'clean_up.failed',
    err: { message: 'disk full' },
  })
})

/** Starts a service. @returns a function that lets ten minutes pass for its jobs */
async function start(app: TestApp) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return () => vi.advanceTimersByTime(10 * 60_000)
}

// Each run may read millions of rows.
test('what one instance has cleaned up, another one does not clean up again in the same ten minutes', async () => {
  const first = await createTestApp()
  const second = await createTestApp({}, false, { db: first.db })
  await add(first, ['before'], first.now() - 1)
  const wait = await start(first)
  wait()
  await expect.poll(() => first.db.read.$count(attempts, eq(attempts.key, 'before')), patient).toBe(0)
  await add(first, ['after'], first.now() - 1)
  await second.listen({ host: '127.0.0.1', port: 0 })
  wait()
  await first.close()
  await second.close()
  expect(await first.db.read.$count(attempts, eq(attempts.key, 'after'))).toBe(1)
})

test('a run ends before another instance may begin the next one', async () => {
  const app = await appWithBacklog()
  await cleanUpWith(app, async () => app.clock.advance(10 * 60))
  expect(await count(app)).toBe(251)
})

/** Moves the end of the current turn. @param minutes from now, by the clock of the database */
const endTurnIn = (app: TestApp, minutes: number) =>
  app.db.transaction(async (tx) => void (await tx.update(attempts).set({ endsAt: timeIn(minutes * 60_000) })))

test('of instances that ask at the same time, one gets the turn', async () => {
  const { db } = await createTestApp()
  const turns = await Promise.all([takeTurn(db), takeTurn(db), takeTurn(db), takeTurn(db)])
  expect(turns.filter((taken) => taken)).toHaveLength(1)
})

test.each([
  ['that has ended is followed by the next one, even if its instance is dead', 0],
  // Otherwise nothing would be deleted until the clock has caught up.
  ['from before the clock of the database went back is over', 30],
])('a turn %s', async (_case, minutes) => {
  const app = await createTestApp()
  await takeTurn(app.db)
  await endTurnIn(app, minutes)
  expect([await takeTurn(app.db), await takeTurn(app.db)]).toEqual([true, false])
})
