import { expect, test } from 'vitest'
import { importedUsers } from '../../src/db/schema/imported-users.ts'
import { users } from '../../src/db/schema/users.ts'
import { logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { importedLine, importLines } from '../support/import.ts'

// tests/bench/import.js measures a million.
test('10,000 users are imported while users log in, and a second run finds all of them', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  await register(app)
  const lines = Array.from({ length: 10_000 }, (_, at) =>
    importedLine(`user${at}`, { external_id: `id ${at}` }),
  )
  let isRunning = true
  const running = importLines(app, lines).finally(() => {
    isRunning = false
  })
  let logins = 0
  while (isRunning) {
    await logIn(app)
    logins += 1
  }
  expect(await running).toBe('Imported 10000 users. 0 existed already.')
  expect(logins).toBeGreaterThan(10)
  expect(await app.db.read.$count(users)).toBe(10_001)
  expect(await app.db.read.$count(importedUsers)).toBe(10_000)
  expect(await importLines(app, lines)).toContain('Imported 0 users. 10000 existed already.')
})
