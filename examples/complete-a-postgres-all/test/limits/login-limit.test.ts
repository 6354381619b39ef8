import { expect, test } from 'vitest'
import { createLoginLimit, createSuccessLimit, forgetLogins } from '../../src/limits/login-limit.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const tooMany = { problem: { code: 'too_many_requests' } }

const createLimit = (app: TestApp) =>
  createLoginLimit(app.db, app.now, { ...app.config.rateLimits, loginFailures: 2 })

const attempt = (account: string) => ({ account, userId: undefined, address: '192.0.2.1' })

test('failed logins by the names of one user are forgotten, and no others', async () => {
  const app = await createTestApp()
  const limit = createLimit(app)
  const names = ['alice', 'alice@example.com', 'bob']
  for (const name of [...names, ...names]) await limit.take(attempt(name))
  for (const name of names) await expect(limit.take(attempt(name))).rejects.toMatchObject(tooMany)

  await app.db.transaction((tx) => forgetLogins(tx, 1, ['alice', 'alice@example.com']))

  for (const name of ['alice', 'alice@example.com']) await limit.take(attempt(name))
  await expect(limit.take(attempt('bob'))).rejects.toMatchObject(tooMany)
})

test('successful logins of one user are forgotten, and no others', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '1' })
  const limit = createSuccessLimit(app)
  const count = (id: number) => limit(id, '192.0.2.1')
  for (const id of [1, 2]) await count(id)
  for (const id of [1, 2]) await expect(count(id)).rejects.toMatchObject(tooMany)
  await app.db.transaction((tx) => forgetLogins(tx, 1, []))
  await count(1)
  await expect(count(2)).rejects.toMatchObject(tooMany)
})

test('attempts that are given back after their window add none to the next one', async () => {
  const app = await createTestApp()
  const limit = createLimit(app)
  const giveBacks = [await limit.take(attempt('alice')), await limit.take(attempt('alice'))]
  app.clock.advance(61)
  await limit.take(attempt('alice'))
  for (const giveBack of giveBacks) await giveBack()
  await limit.take(attempt('alice'))
  await limit.take(attempt('alice'))
  await expect(limit.take(attempt('alice'))).rejects.toMatchObject(tooMany)
})
