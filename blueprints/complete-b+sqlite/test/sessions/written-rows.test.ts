import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { startSession } from '../support/flows.ts'

// A thief who logged in all day had made so many that no request that ends all of them finished in time.
test('ending all sessions writes only those that have not ended', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const { id } = await register(app)
  const { access } = app.accounts
  for (let time = 0; time < 5; time += 1) await startSession(app)
  await app.db.transaction((tx) => access.endAccess(tx, id))
  for (let time = 0; time < 2; time += 1) await startSession(app)
  const written = await app.db.transaction(async (tx) => {
    const total = () => tx.get<{ rows: number }>(sql`SELECT total_changes() AS rows`).rows
    const before = total()
    await access.endAccess(tx, id)
    return total() - before
  })
  expect(written).toBe(2)
})
