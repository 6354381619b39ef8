import { expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { type TakenAttempt, takeAttempts, uncountAttempts } from '../../src/limits/attempts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

async function take(app: TestApp, account: string, kind = 'login'): Promise<TakenAttempt> {
  const attempt = { kind, account, client: '192.0.2.1', max: 2, windowMs: 60_000 }
  const [taken] = await app.db.transaction((tx) => takeAttempts(tx, [attempt], app.now()))
  if (!taken) throw new Error('No attempt was taken')
  return taken
}

test('attempts of one call have counts and limits of their own', async () => {
  const app = await createTestApp()
  const named = (client: string, max: number) => ({
    kind: 'login',
    account: 'alice',
    client,
    max,
    windowMs: 60_000,
  })
  const both = [named('all', 3), named('192.0.2.1', 1)]
  const refused: unknown[] = []
  for (let time = 0; time < 4; time += 1) {
    const taken = await app.db.transaction((tx) => takeAttempts(tx, both, app.now()))
    refused.push(taken.map(({ refusedFor }) => refusedFor !== undefined))
  }
  expect(refused).toEqual([
    [false, false],
    [false, true],
    [false, true],
    [true, true],
  ])
})

test('a window in which every attempt was taken back begins with the next one', async () => {
  const app = await createTestApp()
  const { key } = await take(app, 'alice')
  app.clock.advance(30)
  await app.db.transaction((tx) => uncountAttempts(tx, [key]))
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
