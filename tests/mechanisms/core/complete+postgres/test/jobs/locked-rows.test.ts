import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { users } from '../../src/db/schema/users.ts'
import { cleanUp } from '../../src/jobs/clean-up.ts'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { testServer } from '../support/server.ts'

// A clean-up that has found a registration before it is verified would delete the account of a user.
test.skipIf(testServer === undefined)('a row that is changed at this moment is left alone', async () => {
  const lines: string[] = []
  const app = await createTestApp(
    {},
    { level: 'error', stream: { write: (line: string) => void lines.push(line) } },
  )
  const { id } = await register(app)
  app.clock.advance(8 * 24 * 60 * 60)
  const { config } = app
  const db = openDatabase({ ...config.database, statementTimeoutMs: 1_000 })
  onTestFinished(() => db.close())
  await app.db.transaction(async (tx) => {
    const isUser = eq(users.id, id)
    await tx.update(users).set({ isVerified: true, unclaimedSince: null }).where(isUser).returning()
    await cleanUp({ ...app.ctx, db })
  })
  expect(lines).toEqual([])
  expect(await app.db.read.$count(users)).toBe(1)
})
