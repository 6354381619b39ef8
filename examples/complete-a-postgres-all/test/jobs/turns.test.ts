import { expect, test } from 'vitest'
import { timeIn } from '../../src/db/queries.ts'
import { attempts } from '../../src/db/schema/attempts.ts'
import { savePosition, takeTurn } from '../../src/jobs/turns.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const turnMs = 600_000
const take = (app: TestApp) => takeTurn(app.db, 'job', turnMs)

/** Moves the end of the current turn. @param ms from now, by the clock of the database */
const endIn = (app: TestApp, ms: number) =>
  app.db.transaction(async (tx) => void (await tx.update(attempts).set({ endsAt: timeIn(ms) })))

test('of instances that ask at the same time, one gets the turn', async () => {
  const app = await createTestApp()
  const turns = await Promise.all([take(app), take(app), take(app), take(app)])
  expect(turns.filter((turn) => turn !== undefined)).toEqual([0])
})

test('a turn that has ended is followed by the next one, even if its instance is dead', async () => {
  const app = await createTestApp()
  await take(app)
  await endIn(app, 0)
  expect([await take(app), await take(app)]).toEqual([0, undefined])
})

// Otherwise nothing would be deleted until the clock has caught up.
test('a turn from before the clock of the database went back is over', async () => {
  const app = await createTestApp()
  await take(app)
  await endIn(app, 3 * turnMs)
  expect([await take(app), await take(app)]).toEqual([0, undefined])
})

test('each job has turns of its own', async () => {
  const app = await createTestApp()
  expect([await take(app), await takeTurn(app.db, 'other job', turnMs)]).toEqual([0, 0])
})

test('a turn continues where the last one stopped', async () => {
  const app = await createTestApp()
  await take(app)
  await savePosition(app.db, 'job', 1_000)
  expect(await take(app)).toBe(undefined)
  await endIn(app, 0)
  expect([await take(app), await take(app)]).toEqual([1_000, undefined])
})
