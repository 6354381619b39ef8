import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { tokens } from '../../src/db/schema/tokens.ts'
import { cleanUp } from '../../src/jobs/clean-up.ts'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

// With a million expired sessions, the search for the first emailed token took more than a second.
test('no batch skips expired sessions to find an emailed token', async () => {
  const app = await createTestApp()
  const { id: userId } = await register(app)
  const createdAt = new Date(app.now())
  const token = (tokenType: 'refresh' | 'verification', age: number) => {
    const expiresAt = new Date(app.now() - age)
    return { userId, token: `${tokenType}-${age}`, tokenType, expiresAt, createdAt }
  }
  const sessions = Array.from({ length: 300 }, (_, n) => token('refresh', n + 2))
  await app.db.transaction(async (tx) => {
    await tx.insert(tokens).values([...sessions, token('verification', 1)])
  })
  const sessionsLeft: number[] = []
  const transaction: Database['transaction'] = async (work, options) => {
    const count = (condition = eq(tokens.token, 'verification-1')) => app.db.read.$count(tokens, condition)
    const before = await count()
    const result = await app.db.transaction(work, options)
    if (before > (await count())) sessionsLeft.push(await count(eq(tokens.tokenType, 'refresh')))
    return result
  }
  await cleanUp({ ...app.ctx, db: { ...app.db, transaction } })
  expect(sessionsLeft).toEqual([0])
})
