import { readFile } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { password } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

/** Registers users until one is refused, with what is logged. */
async function createLoggedApp() {
  const lines: string[] = []
  const app = await createTestApp({}, { level: 'error', stream: { write: (line) => void lines.push(line) } })
  const tryRegister = async (username: string) => {
    const body = { username, email: `${username}@example.com`, password }
    return (await app.inject({ method: 'POST', url: '/api/v1/auth/register', body })).statusCode
  }
  const run = (statement: string) =>
    app.db.transaction(async (tx) => void (await tx.execute(sql.raw(statement))))
  return { app, lines, run, tryRegister }
}

test('a value of a unique column of the owner is no name: 500, logged with the constraint', async () => {
  const { lines, run, tryRegister } = await createLoggedApp()
  expect(await tryRegister('alice')).toBe(201)
  await run("ALTER TABLE users ADD COLUMN badge text DEFAULT 'none'")
  await run('CREATE UNIQUE INDEX users_badge ON users (badge)')
  expect(await tryRegister('bob')).toBe(500)
  expect(lines.join('')).toContain('users_badge')
  await run('DROP INDEX users_badge')
  expect(await tryRegister('Alice')).toBe(409)
})

// After a restore of the rows alone, as by a copy.
test('a sequence that fell behind is 500, and the statement in docs/database.md mends it', async () => {
  const { app, lines, run, tryRegister } = await createLoggedApp()
  expect(await tryRegister('alice')).toBe(201)
  await run("SELECT setval('users_id_seq', 1, false)")
  expect(await tryRegister('bob')).toBe(500)
  expect(lines.join('')).toContain('users_pkey')

  const docs = await readFile('docs/database.md', 'utf8')
  const [, query = ''] = /<<'SQL'\n(SELECT format.+?)\\gexec/s.exec(docs) ?? []
  await run("SELECT setval('users_id_seq', 1, false)")
  await app.db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ format: string }>(sql.raw(query))
    for (const { format } of rows) await tx.execute(sql.raw(format))
  })
  expect(await tryRegister('bob')).toBe(201)
})
