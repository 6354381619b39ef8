import { expect, test } from 'vitest'
import { refreshTokens } from '../../src/db/schema/refresh-tokens.ts'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { startSession } from '../support/flows.ts'

// The login of an account with a million of them would time out.
test('a login deletes at most 100 sessions that have ended', async () => {
  const app = await createTestApp()
  const { id: userId } = await register(app)
  const now = new Date(app.now())
  const ended = { userId, isRevoked: true, expiresAt: new Date(app.now() + 60_000), createdAt: now }
  const rows = Array.from({ length: 150 }, (_, n) => ({ ...ended, token: `token-${n}` }))
  await app.db.transaction(async (tx) => void (await tx.insert(refreshTokens).values(rows)))
  await startSession(app)
  expect(await app.db.read.$count(refreshTokens)).toBe(51)
  await startSession(app)
  expect(await app.db.read.$count(refreshTokens)).toBe(2)
})
