import { describe, expect, test } from 'vitest'
import { sessions } from '../../src/sessions/store.ts'
import { bearer, changeUser, getMe, password, putMe, readUser, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { browse, cookieIn, logInForCookie, ownOrigin } from '../support/cookies.ts'
import { refresh, registerVerified, requestReset, resetPassword, startSession } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

const settings = { FRONTEND_URL: 'http://localhost:3000', COOKIE_ORIGINS: 'https://shop.example.com' }

async function withCookie(env: Record<string, string> = settings) {
  const app = await createTestApp(env)
  const { id } = await registerVerified(app)
  return { app, id, cookie: cookieIn(await logInForCookie(app)) }
}

/** What a browser sends from a page elsewhere, and what says nothing. */
const elsewhere: [string, Record<string, string>][] = [
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example.com' }],
  // Next.js GHSA-mq59-m269-xvcx.
  ['a sandboxed page', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['an old browser on another site', { origin: 'https://evil.example' }],
  ['an address that was typed', { 'sec-fetch-site': 'none' }],
  ['a program', {}],
  ['an origin with another port', { origin: 'http://localhost:3001' }],
  ['an origin with another scheme', { origin: 'https://localhost:3000' }],
  ['an origin that begins alike', { origin: 'https://shop.example.com.evil.example' }],
  ['an origin that is no address', { origin: 'shop.example.com' }],
]

const own: [string, Record<string, string>][] = [
  ['a page of this service', ownOrigin],
  ['FRONTEND_URL', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
  ['an old browser at the same host', { origin: 'https://auth.example.com', host: 'auth.example.com' }],
  ['an origin of COOKIE_ORIGINS', { origin: 'https://shop.example.com', 'sec-fetch-site': 'same-site' }],
]

describe('cross-site request forgery', () => {
  test.each(elsewhere)('a change from %s is refused', async (_name, headers) => {
    const { app, id, cookie } = await withCookie()
    const change = {
      method: 'PUT',
      url: 'users/me',
      cookie,
      headers,
      body: { email: 'x@example.com' },
    } as const
    expectProblem(await browse(app, change), 'cross_site_request')
    expectProblem(
      await browse(app, { method: 'POST', url: 'auth/logout', cookie, headers }),
      'cross_site_request',
    )
    expect(await storedSessions(app)).toHaveLength(1)
    expect((await readUser(app, id)).pendingEmail).toBeNull()
  })

  test.each(own)('a change from %s is accepted', async (_name, headers) => {
    const { app, cookie } = await withCookie()
    const change = {
      method: 'PUT',
      url: 'users/me',
      cookie,
      headers,
      body: { email: 'x@example.com' },
    } as const
    expect((await browse(app, change)).statusCode).toBe(200)
  })

  // A user would act in the account of an attacker, and tell it what is theirs.
  test.each(elsewhere)('a login from %s gets no cookie', async (_name, headers) => {
    const app = await createTestApp(settings)
    await registerVerified(app)
    const response = await logInForCookie(app, { headers })
    expectProblem(response, 'cross_site_request')
    expect(response.headers['set-cookie']).toBeUndefined()
    expect(await storedSessions(app)).toEqual([])
  })

  test.each(elsewhere)('a WebSocket from %s is refused', async (_name, headers) => {
    const { app, cookie } = await withCookie()
    const upgrade = { ...headers, connection: 'Upgrade', upgrade: 'websocket' }
    expectProblem(await browse(app, { url: 'users/me', cookie, headers: upgrade }), 'cross_site_request')
  })

  test('a type of the content that a form can send makes no difference', async () => {
    const { app, cookie } = await withCookie()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const headers = { 'content-type': type, origin: 'https://evil.example' }
      const response = await app.inject({
        method: 'POST',
        url: '/api/v1/auth/logout',
        headers: { ...headers, cookie },
        payload: '{}',
      })
      expectProblem(response, 'cross_site_request')
    }
  })

  test('a request without a cookie, or with a token, is not concerned', async () => {
    const { app, cookie } = await withCookie()
    const headers = { origin: 'https://evil.example' }
    const body = { username: 'alice', password }
    const login = await browse(app, { method: 'POST', url: 'auth/login', headers, body })
    expect(login.statusCode).toBe(200)
    const { access_token: token } = login.json()
    const change = { method: 'PUT', url: 'users/me', cookie, body: { email: 'x@example.com' } } as const
    const response = await browse(app, { ...change, headers: { ...headers, ...bearer(token) } })
    expect(response.statusCode).toBe(200)
  })
})

test('pages of COOKIE_ORIGINS alone may read answers to requests with credentials', async () => {
  const app = await createTestApp({ ...settings, CORS_ORIGINS: 'https://other.example' })
  const ask = async (origin: string) =>
    (await app.inject({ url: '/health/live', headers: { origin } })).headers
  expect(await ask('https://shop.example.com')).toMatchObject({
    'access-control-allow-origin': 'https://shop.example.com',
    'access-control-allow-credentials': 'true',
  })
  const other = await ask('https://other.example')
  expect(other['access-control-allow-origin']).toBe('https://other.example')
  expect(other).not.toHaveProperty('access-control-allow-credentials')
  expect(await ask('https://evil.example')).not.toHaveProperty('access-control-allow-origin')
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/api/v1/users/me',
    headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'PUT' },
  })
  expect(preflight.headers).toMatchObject({ 'access-control-allow-credentials': 'true' })
})

test('every endpoint that asks who is there takes the cookie', async () => {
  const { app } = await withCookie()
  const { paths } = (await app.inject('/openapi.json')).json()
  const refused: string[] = []
  let asked = 0
  for (const [path, operations] of Object.entries<Record<string, { responses: object }>>(paths))
    for (const [method, { responses }] of Object.entries(operations)) {
      if (method === 'head' || !JSON.stringify(responses).includes('not_authenticated')) continue
      // The question of a proxy names neither the method nor the origin of the request.
      if (path.endsWith('/auth/check')) continue
      asked += 1
      const url = path.replace('/api/v1/', '').replaceAll(/\{\w+\}/g, '1')
      // The last one may have ended the session.
      const cookie = cookieIn(await logInForCookie(app))
      const response = await browse(app, { method: method.toUpperCase() as 'GET', url, cookie })
      if (response.body.includes('"not_authenticated"')) refused.push(`${method} ${path}`)
    }
  expect(refused).toEqual([])
  expect(asked).toBeGreaterThan(3)
})

describe('what a cookie is not', () => {
  test('a refresh token or an access token, nor are they cookies', async () => {
    const { app, cookie } = await withCookie()
    const [, value = ''] = cookie.split('=')
    expectProblem(await refresh(app, value), 'invalid_refresh_token')
    expectProblem(await getMe(app, value), 'invalid_token')
    // It is none that was used before either, which would end the session.
    expect((await browse(app, { url: 'users/me', cookie })).statusCode).toBe(200)
    const tokens = await startSession(app)
    for (const token of [tokens.accessToken, tokens.refreshToken])
      expectProblem(await browse(app, { url: 'users/me', cookie: `session=${token}` }), 'invalid_token')
    expect((await refresh(app, tokens.refreshToken)).statusCode).toBe(200)
  })

  test('readable in the database', async () => {
    const { app, cookie } = await withCookie()
    expect(JSON.stringify(await storedSessions(app))).not.toContain(cookie.split('=')[1])
  })

  test("another session's, whose row has its id after a restored backup", async () => {
    const { app, cookie } = await withCookie()
    await app.db.transaction((tx) => tx.update(sessions).set({ token: 'of another session' }))
    expectProblem(await browse(app, { url: 'users/me', cookie }), 'invalid_token')
  })

  test('made up', async () => {
    const { app, cookie } = await withCookie()
    const changed = `${cookie.slice(8, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`
    for (const text of ['', 'x', changed, cookie.slice(8).toLowerCase()])
      expectProblem(await browse(app, { url: 'users/me', cookie: `session=${text}` }), 'invalid_token')
  })
})

// Session fixation: whoever has the cookie of before must not be logged in with the next one.
test('a new cookie ends the session of the one that came with the request, whoever it was', async () => {
  const { app, cookie } = await withCookie()
  await registerVerified(app, 'bob')
  const next = cookieIn(await logInForCookie(app, { cookie }, 'bob'))
  expect(next).not.toBe(cookie)
  expectProblem(await browse(app, { url: 'users/me', cookie }), 'invalid_token')
  expect((await browse(app, { url: 'users/me', cookie: next })).json().username).toBe('bob')
})

test('a failed login leaves the cookie', async () => {
  const { app, cookie } = await withCookie()
  const body = { username: 'alice', password: 'Wrong-1' }
  expectProblem(await logInForCookie(app, { cookie, body }), 'invalid_credentials')
  expect((await browse(app, { url: 'users/me', cookie })).statusCode).toBe(200)
})

test.each<[string, (app: TestApp, id: number) => Promise<unknown>]>([
  ['a deactivation', (app, id) => changeUser(app, id, { isActive: false })],
  ['the end of all sessions', (app) => runCommand(app, 'end-sessions', 'alice')],
  ['a reset of the password', async (app) => resetPassword(app, await requestReset(app))],
])('%s ends it with the next request', async (_what, end) => {
  const { app, id, cookie } = await withCookie()
  await end(app, id)
  expectProblem(await browse(app, { url: 'users/me', cookie }), 'invalid_token')
})

test('it is a recent login for 10 minutes, however often it is used', async () => {
  const { app, cookie } = await withCookie()
  const change = (email: string) => browse(app, { method: 'PUT', url: 'users/me', cookie, body: { email } })
  expect((await change('x@example.com')).statusCode).toBe(200)
  for (let minute = 0; minute < 11; minute += 1) {
    app.clock.advance(60)
    await browse(app, { url: 'users/me', cookie })
  }
  expectProblem(await change('y@example.com'), 'reauthentication_required')
})

test('no answer sets a cookie for whoever did not ask', async () => {
  const { app } = await withCookie()
  const { accessToken } = await startSession(app)
  const answers = [
    await tryLogIn(app, 'alice', password),
    await getMe(app, accessToken),
    await putMe(app, accessToken, { email: 'x@example.com' }),
  ]
  for (const { headers } of answers) expect(headers['set-cookie']).toBeUndefined()
})
