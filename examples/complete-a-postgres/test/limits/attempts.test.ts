import { expect, test } from 'vitest'
import { deleteInBatches } from '../../src/db/batches.ts'
import { attempts } from '../../src/db/schema/attempts.ts'
import { cleanUp } from '../../src/jobs/clean-up.ts'
import { purgeAttempts, takeAttempt, uncountAttempt } from '../../src/limits/attempts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const limit = { max: 2, windowMs: 60_000 }

const take = (app: TestApp, account: string, kind = 'login') =>
  app.db.transaction((tx) => takeAttempt(tx, { ...limit, kind }, { account, client: '192.0.2.1' }, app.now()))

test('the clean-up deletes only counts whose window has ended', async () => {
  const app = await createTestApp()
  await take(app, 'alice')
  app.clock.advance(30)
  await take(app, 'bob')
  app.clock.advance(31)
  await cleanUp(app.db, app.now())
  expect(await app.db.read.$count(attempts)).toBe(1)
})

test('a backlog is deleted completely, in short transactions', async () => {
  const app = await createTestApp()
  const endsAt = new Date(app.now() - 1)
  const backlog = Array.from({ length: 501 }, (_, n) => ({
    key: `key-${n}`,
    account: 'alice',
    count: 1,
    endsAt,
  }))
  await app.db.transaction(async (tx) => void (await tx.insert(attempts).values(backlog)))
  let longest = 0
  await deleteInBatches(app.db, async (tx, limit) => {
    const deleted = await purgeAttempts(tx, app.now(), limit)
    longest = Math.max(longest, deleted)
    return deleted
  })
  expect(longest).toBe(250)
  expect(await app.db.read.$count(attempts)).toBe(0)
})

// Otherwise successful logins would leave a row per client and name for a day.
test('the last attempt that is taken back leaves nothing', async () => {
  const app = await createTestApp()
  const { key } = await take(app, 'alice')
  await take(app, 'alice')
  for (const rows of [1, 0, 0]) {
    await app.db.transaction((tx) => uncountAttempt(tx, key))
    expect(await app.db.read.$count(attempts)).toBe(rows)
  }
})

test('a window in which every attempt was taken back begins with the next one', async () => {
  const app = await createTestApp()
  const { key } = await take(app, 'alice')
  app.clock.advance(30)
  await app.db.transaction((tx) => uncountAttempt(tx, key))
  for (let time = 0; time < 2; time += 1) await take(app, 'alice')
  expect(await take(app, 'alice')).toMatchObject({ refusedFor: 60 })
})

test('the table reveals neither the account nor the address', async () => {
  const app = await createTestApp()
  await take(app, 'alice')
  const [row] = await app.db.read.select().from(attempts)
  expect(JSON.stringify(row)).not.toMatch(/alice|192\.0\.2\.1/)
})

// A clock that was an hour fast refused everyone for an hour after it was set.
test.each([
  [-3600, 0],
  [-61, 0],
  [-30, 60],
])('after the clock jumps by %i seconds, a full window refuses for %i', async (seconds, refusedFor) => {
  const app = await createTestApp()
  for (let time = 0; time < 2; time += 1) await take(app, 'alice')
  app.clock.advance(seconds)
  const { refusedFor: refused = 0 } = await take(app, 'alice')
  expect(refused).toBe(refusedFor)
})
