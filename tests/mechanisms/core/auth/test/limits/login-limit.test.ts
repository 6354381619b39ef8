import { expect, test } from 'vitest'
import { uncountAttempts } from '../../src/limits/attempts.ts'
import { countFailure, countSuccess, forgetLogins } from '../../src/limits/login-limit.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const tooMany = { problem: { code: 'too_many_requests' } }

const createLimitedApp = () => createTestApp({ RATE_LIMIT_LOGIN_FAILURES: '2' })

const fail = (app: TestApp, account: string) =>
  countFailure(app.ctx, { client: { address: '192.0.2.1' } }, account, undefined)

test('failed logins by the names of one user are forgotten, and no others', async () => {
  const app = await createLimitedApp()
  const names = ['alice', 'alice@example.com', 'bob']
  for (const name of [...names, ...names]) await fail(app, name)
  for (const name of names) await expect(fail(app, name)).rejects.toMatchObject(tooMany)

  await app.db.transaction((tx) => forgetLogins(tx, 1, ['alice', 'alice@example.com']))

  for (const name of ['alice', 'alice@example.com']) await fail(app, name)
  await expect(fail(app, 'bob')).rejects.toMatchObject(tooMany)
})

test('successful logins of one user are forgotten, and no others', async () => {
  const app = await createTestApp({ RATE_LIMIT_LOGINS: '1' })
  const count = (id: number) => app.db.transaction((tx) => countSuccess(app.ctx, tx, id, '192.0.2.1'))
  for (const id of [1, 2]) await count(id)
  for (const id of [1, 2]) await expect(count(id)).rejects.toMatchObject(tooMany)
  await app.db.transaction((tx) => forgetLogins(tx, 1, []))
  await count(1)
  await expect(count(2)).rejects.toMatchObject(tooMany)
})

test('attempts that are given back after their window add none to the next one', async () => {
  const app = await createLimitedApp()
  const failures = [await fail(app, 'alice'), await fail(app, 'alice')]
  app.clock.advance(61)
  await fail(app, 'alice')
  for (const keys of failures) await app.db.transaction((tx) => uncountAttempts(tx, keys))
  await fail(app, 'alice')
  await fail(app, 'alice')
  await expect(fail(app, 'alice')).rejects.toMatchObject(tooMany)
})
