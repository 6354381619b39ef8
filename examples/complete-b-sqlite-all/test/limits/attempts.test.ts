import { expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { takeAttempt, uncountAttempt } from '../../src/limits/attempts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const limit = { max: 2, windowMs: 60_000 }

const take = (app: TestApp, account: string, kind = 'login') =>
  app.db.transaction((tx) => takeAttempt(tx, { ...limit, kind }, { account, client: '192.0.2.1' }, app.now()))

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
  [-901, 0],
  [-900, 60],
])('after the clock jumps by %i seconds, a full window refuses for %i', async (seconds, refusedFor) => {
  const app = await createTestApp()
  for (let time = 0; time < 2; time += 1) await take(app, 'alice')
  app.clock.advance(seconds)
  const { refusedFor: refused = 0 } = await take(app, 'alice')
  expect(refused).toBe(refusedFor)
})

// An attacker who alternates between the instances would otherwise begin a new window with each guess.
test('two instances whose clocks are ten minutes apart share a window', async () => {
  const app = await createTestApp()
  const refused: boolean[] = []
  for (const seconds of [600, -600, 600, -600]) {
    app.clock.advance(seconds)
    refused.push((await take(app, 'alice')).refusedFor !== undefined)
  }
  expect(refused).toEqual([false, false, true, true])
})
