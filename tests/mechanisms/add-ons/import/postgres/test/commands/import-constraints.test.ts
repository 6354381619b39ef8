import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { importedLine, importLines } from '../support/import.ts'

test('an import that a constraint of the owner refuses names it, and calls no name taken', async () => {
  const app = await createTestApp()
  await app.db.transaction(async (tx) => {
    await tx.execute(sql`ALTER TABLE users ADD COLUMN badge text DEFAULT 'none'`)
    await tx.execute(sql`CREATE UNIQUE INDEX users_badge ON users (badge)`)
  })
  await register(app)
  await expect(importLines(app, [importedLine('bob')])).rejects.toThrow(/^.*unique.*users[._]badge.*\.$/i)
})

test('an import goes on where a sequence fell behind', async () => {
  const app = await createTestApp()
  for (const name of ['alice', 'bob']) await register(app, name)
  await app.db.transaction(
    async (tx) => void (await tx.execute(sql`SELECT setval('users_id_seq', 1, false)`)),
  )
  const lines = ['carol', 'dave', 'erin'].map((name) => importedLine(name))
  expect(await importLines(app, lines)).toMatch(/^Imported 3 users\./)
})
