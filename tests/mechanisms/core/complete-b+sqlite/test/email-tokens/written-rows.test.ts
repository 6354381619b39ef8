import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { revokeEmailTokens } from '../../src/email/tokens.ts'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { requestReset, resendVerification } from '../support/flows.ts'

// Otherwise every change of the email would write all codes that the user ever had.
test('revoking codes writes only those that are still valid', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const { id } = await register(app)
  for (let time = 0; time < 5; time += 1) await resendVerification(app)
  await requestReset(app)
  const written = await app.db.transaction(async (tx) => {
    const total = () => tx.get<{ rows: number }>(sql`SELECT total_changes() AS rows`)?.rows ?? 0
    const before = total()
    await revokeEmailTokens(app.ctx, tx, id)
    return total() - before
  })
  // Two codes, and the two emails with them.
  expect(written).toBe(4)
})
