import { expect, test } from 'vitest'
import { changeUser, getMe, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { browse, cookieIn, logInForCookie, ownOrigin } from '../support/cookies.ts'
import { refresh, registerVerified, startSession } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

test('a login sets a cookie in place of the tokens, and guards accept it', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const response = await logInForCookie(app)
  expect(response.body).toBe('')
  const maxAge = app.config.sessions.maxDays * 24 * 60 * 60
  expect(response.headers['set-cookie']).toMatch(
    new RegExp(`^session=[\\w-]{70,}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAge}$`),
  )
  const me = await browse(app, { url: 'users/me', cookie: cookieIn(response) })
  expect(me.json()).toMatchObject({ username: 'alice' })
  expect(me.headers['set-cookie']).toBeUndefined()
})

test('in production the cookie belongs to this host alone, and to TLS', async () => {
  const env = { NODE_ENV: 'production', FRONTEND_URL: 'https://app.example.com' }
  const app = await createTestApp(env)
  await registerVerified(app)
  const cookie = (await logInForCookie(app)).headers['set-cookie']
  expect(cookie).toMatch(/^__Host-session=[\w-]+; Secure; HttpOnly; SameSite=Lax; Path=\/; Max-Age=\d+$/)
})

test('without use_cookies a login answers with tokens, also to a browser that has a cookie', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const cookie = cookieIn(await logInForCookie(app))
  for (const query of ['', '?use_cookies=false']) {
    const body = { username: 'alice', password }
    const response = await browse(app, { method: 'POST', url: `auth/login${query}`, cookie, body })
    expect(response.json()).toHaveProperty('access_token')
    expect(response.headers['set-cookie']).toBeUndefined()
  }
  const odd = await browse(app, { method: 'POST', url: 'auth/login?use_cookies=yes', body: {} })
  expectProblem(odd, 'validation_failed')
})

test('a refresh turns tokens into a cookie', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const { refreshToken } = await startSession(app)
  const body = { refresh_token: refreshToken }
  const cookie = cookieIn(await browse(app, { method: 'POST', url: 'auth/refresh?use_cookies=true', body }))
  expect((await browse(app, { url: 'users/me', cookie })).statusCode).toBe(200)
  expect(await storedSessions(app)).toHaveLength(1)
})

test('a session is extended while it is used, at most once a minute and up to its longest lifetime', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const cookie = cookieIn(await logInForCookie(app))
  const use = () => browse(app, { url: 'users/me', cookie })
  const ends = async () => (await storedSessions(app))[0]?.expiresAt.getTime()
  const first = await ends()
  app.clock.advance(59)
  await use()
  expect(await ends()).toBe(first)
  app.clock.advance(1)
  await use()
  expect(await ends()).toBe(Number(first) + 60_000)
  const { idleSeconds, maxDays } = app.config.sessions
  app.clock.advance(idleSeconds - 1)
  expect((await use()).statusCode).toBe(200)
  app.clock.advance(idleSeconds)
  expectProblem(await use(), 'invalid_token')

  const other = cookieIn(await logInForCookie(app))
  let days = 0
  for (; days < 2 * maxDays; days += 1) {
    if ((await browse(app, { url: 'users/me', cookie: other })).statusCode !== 200) break
    app.clock.advance(Math.min(idleSeconds - 1, 24 * 60 * 60))
  }
  expect(days).toBeLessThan(2 * maxDays)
})

test('logging out ends the session and clears the cookie, also of a session that is over', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const cookie = cookieIn(await logInForCookie(app))
  for (let time = 0; time < 2; time += 1) {
    const response = await browse(app, { method: 'POST', url: 'auth/logout', cookie })
    expect(response.statusCode).toBe(204)
    expect(response.headers['set-cookie']).toBe('session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0')
  }
  expectProblem(await browse(app, { url: 'users/me', cookie }), 'invalid_token')
  expect(await storedSessions(app)).toEqual([])
  expectProblem(await browse(app, { method: 'POST', url: 'auth/logout' }), 'not_authenticated')
})

test('a change of the address that it asked for waits on after a logout, and after another login', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  let cookie = cookieIn(await logInForCookie(app))
  const body = { email: 'new@example.com', current_password: password }
  await browse(app, { method: 'PUT', url: 'users/me', cookie, body })
  cookie = cookieIn(await logInForCookie(app, { cookie }))
  await browse(app, { method: 'POST', url: 'auth/logout', cookie })
  const me = await browse(app, { url: 'users/me', cookie: cookieIn(await logInForCookie(app)) })
  expect(me.json().pending_email).toBe('new@example.com')
})

test('an Authorization header goes first', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await registerVerified(app, 'bob')
  const cookie = cookieIn(await logInForCookie(app))
  const { accessToken } = await startSession(app, 'bob')
  const headers = { authorization: `Bearer ${accessToken}` }
  expect((await browse(app, { url: 'users/me', cookie, headers })).json().username).toBe('bob')
  const bad = { authorization: 'Bearer nonsense' }
  expectProblem(await browse(app, { url: 'users/me', cookie, headers: bad }), 'invalid_token')
})

test('an address that nobody verified is not enough where it is required', async () => {
  const app = await createTestApp({ LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' })
  app.get('/api/v1/guarded', { onRequest: app.requireUser }, async () => ({}))
  const { id } = await registerVerified(app)
  const cookie = cookieIn(await logInForCookie(app))
  expect((await browse(app, { url: 'guarded', cookie })).statusCode).toBe(200)
  await changeUser(app, id, { isVerified: false })
  expectProblem(await browse(app, { url: 'guarded', cookie }), 'user_not_verified')
})

test('tokens work as before', async () => {
  const app = await createTestApp()
  await register(app)
  const tokens = (await tryLogIn(app, 'alice', password)).json()
  expect((await getMe(app, tokens.access_token)).statusCode).toBe(200)
  expect((await refresh(app, tokens.refresh_token)).statusCode).toBe(200)
  expect((await browse(app, { url: 'users/me', headers: ownOrigin })).statusCode).toBe(401)
})
