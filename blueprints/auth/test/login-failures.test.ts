import { expect, test } from 'vitest'
import { loginFailures } from '../src/db/schema/login-failures.ts'
import { createTestApp } from './app.ts'

test('the clean-up deletes the counts whose minute is over, and only those', async () => {
  const app = await createTestApp()
  const { take, purge } = app.accounts.loginFailures
  await take('old', '192.0.2.1')
  app.clock.advance(30)
  await take('new', '192.0.2.1')
  app.clock.advance(31)
  await purge()
  expect(await app.db.read.$count(loginFailures)).toBe(1)
})

test('the table tells neither names nor addresses', async () => {
  const app = await createTestApp()
  await app.accounts.loginFailures.take('alice', '192.0.2.1')
  const [row] = await app.db.read.select().from(loginFailures)
  expect(JSON.stringify(row)).not.toMatch(/alice|192/)
})
