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
  const run = (statement: string) => app.db.transaction(async (tx) => void (await tx.run(sql.raw(statement))))
  return { app, lines, run, tryRegister }
}

test('a value of a unique column of the owner is no name: 500, logged with the constraint', async () => {
  const { lines, run, tryRegister } = await createLoggedApp()
  expect(await tryRegister('alice')).toBe(201)
  await run("ALTER TABLE users ADD COLUMN badge text DEFAULT 'none'")
  await run('CREATE UNIQUE INDEX users_badge ON users (badge)')
  expect(await tryRegister('bob')).toBe(500)
  expect(lines.join('')).toContain('users.badge')
  await run('DROP INDEX users_badge')
  expect(await tryRegister('Alice')).toBe(409)
})
