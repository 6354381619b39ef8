import { expect, test } from 'vitest'
import { bearer, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

test('a guarded route needs a login in the last 10 minutes', async () => {
  const app = await createTestApp()
  app.get('/payout', { onRequest: [app.requireUser, app.requireRecentLogin] }, async () => ({ ok: true }))
  await register(app)
  const send = async (token: string) => app.inject({ url: '/payout', headers: bearer(token) })
  const token = await logIn(app)
  app.clock.advance(9 * 60)
  expect((await send(token)).statusCode).toBe(200)
  app.clock.advance(61)
  const refused = await send(token)
  expectProblem(refused, 'reauthentication_required')
  expect(refused.headers['www-authenticate']).toContain('max_age="600"')
  expect((await send(await logIn(app))).statusCode).toBe(200)
  expectProblem(await app.inject({ url: '/payout' }), 'not_authenticated')
})

test('the guard alone fails: it needs to know the user', async () => {
  const app = await createTestApp()
  app.get('/payout', { onRequest: app.requireRecentLogin }, async () => ({ ok: true }))
  expect((await app.inject({ url: '/payout' })).statusCode).toBe(500)
})
