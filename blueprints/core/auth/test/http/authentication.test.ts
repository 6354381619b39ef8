import { describe, expect, test } from 'vitest'
import { bearer, changeUser, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

/** Creates an app with a route behind each guard, and a user's token. */
async function guardedApp() {
  const app = await createTestApp()
  app.get('/mine', { onRequest: app.requireUser }, async (request) => ({ name: request.user.username }))
  app.get('/greeting', { onRequest: app.loadUser }, async (request) => ({
    name: request.optionalUser?.username ?? 'stranger',
  }))
  app.post('/mine', { onRequest: app.requireUser }, async () => ({ ok: true }))
  app.get('/forgotten', async (request) => ({ isKnown: Boolean(request.user) }))
  const { id } = await register(app)
  const token = await logIn(app)
  const get = (url: string, authorization?: string) =>
    app.inject({ url, headers: authorization === undefined ? {} : { authorization } })
  return { app, id, token, get }
}

describe('requireUser', () => {
  test('sets the user of the request', async () => {
    const { token, get } = await guardedApp()
    expect((await get('/mine', `Bearer ${token}`)).json()).toEqual({ name: 'alice' })
  })

  test('accepts the scheme in any case', async () => {
    const { token, get } = await guardedApp()
    expect((await get('/mine', `bearer ${token}`)).statusCode).toBe(200)
  })

  test.each(['', 'Bearer', 'Bearer ', 'Basic YWxpY2U6cGFzcw==', 'BearerToken'])(
    'rejects %j with not_authenticated',
    async (authorization) => {
      const { get } = await guardedApp()
      expectProblem(await get('/mine', authorization), 'not_authenticated')
    },
  )

  test('reads the token from the header only, because URLs end up in logs and histories', async () => {
    const { app, token, get } = await guardedApp()
    expectProblem(await get(`/mine?access_token=${token}`), 'not_authenticated')
    const cookie = await app.inject({ url: '/mine', headers: { cookie: `access_token=${token}` } })
    expectProblem(cookie, 'not_authenticated')
  })

  test('runs before the body is read', async () => {
    const { app } = await guardedApp()
    const headers = { 'content-type': 'application/json' }
    const response = await app.inject({ method: 'POST', url: '/mine', headers, payload: '{"broken' })
    expectProblem(response, 'not_authenticated')
  })
})

describe('loadUser', () => {
  test('sets the user of the request', async () => {
    const { token, get } = await guardedApp()
    expect((await get('/greeting', `Bearer ${token}`)).json()).toEqual({ name: 'alice' })
  })

  test.each([undefined, 'Bearer not-a-token', 'Basic YWxpY2U6cGFzcw=='])(
    'treats a caller with %j as anonymous',
    async (authorization) => {
      const { get } = await guardedApp()
      expect((await get('/greeting', authorization)).json()).toEqual({ name: 'stranger' })
    },
  )

  test('treats an expired token, and a deactivated user, as anonymous', async () => {
    const { app, id, token, get } = await guardedApp()
    await changeUser(app, id, { isActive: false })
    expect((await get('/greeting', `Bearer ${token}`)).json()).toEqual({ name: 'stranger' })
    await changeUser(app, id, { isActive: true })
    app.clock.advance(24 * 60 * 60)
    expect((await get('/greeting', `Bearer ${token}`)).json()).toEqual({ name: 'stranger' })
  })

  test('fails if the database fails', async () => {
    const { app, token, get } = await guardedApp()
    await app.db.close()
    expectProblem(await get('/greeting', `Bearer ${token}`), 'internal_error')
  })
})

test('a route that reads the user without a guard fails, with and without a token', async () => {
  const { app, token, get } = await guardedApp()
  expectProblem(await get('/forgotten'), 'internal_error')
  expectProblem(await app.inject({ url: '/forgotten', headers: bearer(token) }), 'internal_error')
})

describe('requireRecentLogin', () => {
  test('asks for a login in the last 10 minutes', async () => {
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

  test('alone fails: it needs to know the user', async () => {
    const app = await createTestApp()
    app.get('/payout', { onRequest: app.requireRecentLogin }, async () => ({ ok: true }))
    expect((await app.inject({ url: '/payout' })).statusCode).toBe(500)
  })
})
