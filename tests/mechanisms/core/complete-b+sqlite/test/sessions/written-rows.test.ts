import { eq, lte, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { revokeSessions, sessions } from '../../src/sessions/store.ts'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { startSession } from '../support/flows.ts'

// With a day of a thief's logins, no request that ends all sessions finished in time.
test('ending all sessions writes only those that have not ended', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  for (let time = 0; time < 7; time += 1) await startSession(app)
  await app.db.transaction((tx) => revokeSessions(tx, lte(sessions.id, 5)))
  const written = await app.db.transaction(async (tx) => {
    const total = () => tx.get<{ rows: number }>(sql`SELECT total_changes() AS rows`)?.rows ?? 0
    const before = total()
    await revokeSessions(tx, eq(sessions.userId, id))
    return total() - before
  })
  expect(written).toBe(2)
})
