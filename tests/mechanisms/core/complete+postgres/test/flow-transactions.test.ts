import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { tryLogIn } from './support/accounts.ts'
import { createTestApp, type TestApp } from './support/app.ts'
import {
  handleRequests,
  newPassword,
  post,
  refresh,
  registerVerified,
  startSession,
} from './support/flows.ts'
import { emailedToken } from './support/mailbox.ts'
import { inMemory } from './support/pglite.ts'

/** The next id that a transaction or a savepoint with a write takes. */
async function nextId({ db }: TestApp): Promise<number> {
  const id = sql<string>`pg_snapshot_xmax(pg_current_snapshot())::text`
  const [row] = await db.read.select({ id }).from(sql`(SELECT 1) AS one`)
  return Number(row?.id)
}

/** How many transactions with a write, and savepoints in them, the work takes. */
async function writesOf(app: TestApp, work: () => Promise<{ statusCode: number }>): Promise<number> {
  const before = await nextId(app)
  const { statusCode } = await work()
  expect(statusCode).toBeLessThan(300)
  return (await nextId(app)) - before
}

test('a flow writes in few transactions', async () => {
  // In memory, because all transactions of a server take their ids from one sequence.
  const { open, remove } = await inMemory()
  onTestFinished(remove)
  const app = await createTestApp({}, false, { db: await open() })
  await registerVerified(app)
  const { accessToken, refreshToken } = await startSession(app)
  const headers = { authorization: `Bearer ${accessToken}` }
  expect(await writesOf(app, () => app.inject({ url: '/api/v1/users/me', headers }))).toBe(0)
  expect(await writesOf(app, () => refresh(app, refreshToken))).toBe(1)
  expect(await writesOf(app, () => tryLogIn(app, 'alice', 'Correct-Horse-7'))).toBeLessThanOrEqual(2)
  const bob = { email: 'bob@example.com', username: 'bob', password: 'Correct-Horse-7' }
  expect(await writesOf(app, () => post(app, 'register', bob))).toBe(1)
  expect(await writesOf(app, () => post(app, 'forgot-password', { email: 'alice@example.com' }))).toBe(1)
  await handleRequests(app)
  const reset = { token: await emailedToken(app, 'reset'), new_password: newPassword }
  expect(await writesOf(app, () => post(app, 'reset-password', reset))).toBe(1)
})
