import { describe, expect, test } from 'vitest'
import { bearer, changeUser, getMe, putMe, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { refresh, startSession, type Tokens, tokensIn } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { countStored, storedSessions } from '../support/stored.ts'

const day = 24 * 60 * 60

async function loggedIn(env: Record<string, string> = {}) {
  const app = await createTestApp(env)
  const { id } = await register(app)
  return { app, id, ...(await startSession(app)) }
}

const refreshed = async (app: TestApp, refreshToken: string) => tokensIn(await refresh(app, refreshToken))

/** Expects that the session has ended: both of its tokens are refused. */
async function expectEnded(app: TestApp, { accessToken, refreshToken }: Tokens) {
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
}

test('a refresh token is exchanged for a new one and an access token', async () => {
  const { app, accessToken, refreshToken } = await loggedIn()
  const response = await refresh(app, refreshToken)
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    access_token: expect.any(String),
    token_type: 'bearer',
    expires_in: expect.any(Number),
    refresh_token: expect.stringMatching(/^[\w-]{72}$/),
  })
  const next = tokensIn(response)
  expect(next.refreshToken).not.toBe(refreshToken)
  expect(next.accessToken).not.toBe(accessToken)
  expect((await getMe(app, next.accessToken)).statusCode).toBe(200)
})

test('a session is one row with one id, however often it is refreshed', async () => {
  const { app, refreshToken } = await loggedIn()
  const before = await countStored(app)
  const [session] = await storedSessions(app)
  let token = refreshToken
  for (let time = 0; time < 20; time += 1) {
    app.clock.advance(60)
    token = (await refreshed(app, token)).refreshToken
  }
  expect(await countStored(app)).toEqual(before)
  const [same] = await storedSessions(app)
  expect(same?.id).toBe(session?.id)
})

test('access tokens from before a refresh stay valid until they expire', async () => {
  const { app, accessToken, refreshToken } = await loggedIn()
  await refresh(app, refreshToken)
  expect((await getMe(app, accessToken)).statusCode).toBe(200)
})

test('two sessions of a user are refreshed independently', async () => {
  const { app, refreshToken } = await loggedIn()
  const other = await startSession(app)
  const next = await refreshed(app, refreshToken)
  await refreshed(app, other.refreshToken)
  await refreshed(app, next.refreshToken)
  expect(await storedSessions(app)).toHaveLength(2)
})

describe('a session ends', () => {
  test('if it is not used for its lifetime', async () => {
    const { app, refreshToken } = await loggedIn()
    const lifetime = app.config.sessions.idleSeconds
    app.clock.advance(lifetime - 1)
    const next = await refreshed(app, refreshToken)
    app.clock.advance(lifetime - 1)
    const last = await refreshed(app, next.refreshToken)
    app.clock.advance(lifetime)
    expectProblem(await refresh(app, last.refreshToken), 'invalid_refresh_token')
  })

  // Otherwise a stolen token that is used every day would never expire.
  test('30 days after the login, even if it is used', async () => {
    const { app, refreshToken } = await loggedIn()
    let token = refreshToken
    for (let halfDay = 1; halfDay < 60; halfDay += 1) {
      app.clock.advance(day / 2)
      token = (await refreshed(app, token)).refreshToken
    }
    app.clock.advance(day / 2 - 1)
    const { accessToken, refreshToken: last } = await refreshed(app, token)
    app.clock.advance(1)
    await expectEnded(app, { accessToken, refreshToken: last })
  })

  test('SESSION_MAX_DAYS after the login', async () => {
    const app = await createTestApp({ SESSION_MAX_DAYS: '1' })
    await register(app)
    const { refreshToken } = await startSession(app)
    app.clock.advance(day / 2)
    const { refreshToken: next } = await refreshed(app, refreshToken)
    app.clock.advance(day / 2)
    expectProblem(await refresh(app, next), 'invalid_refresh_token')
  })

  test('for a deactivated user', async () => {
    const { app, id, refreshToken } = await loggedIn()
    await changeUser(app, id, { isActive: false })
    expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
  })
})

// Two browser tabs, or a client that lost the response, must stay logged in.
describe('for 10 seconds a replaced token', () => {
  test('returns the same successor again', async () => {
    const { app, refreshToken } = await loggedIn()
    const next = await refreshed(app, refreshToken)
    app.clock.advance(9)
    const again = await refreshed(app, refreshToken)
    expect(again.refreshToken).toBe(next.refreshToken)
    expect((await getMe(app, again.accessToken)).statusCode).toBe(200)
    await refreshed(app, next.refreshToken)
  })

  test('does not extend the session', async () => {
    const { app, refreshToken } = await loggedIn()
    await refreshed(app, refreshToken)
    const [before] = await storedSessions(app)
    app.clock.advance(9)
    await refreshed(app, refreshToken)
    expect(await storedSessions(app)).toEqual([before])
  })

  test('is refused once its successor was used', async () => {
    const { app, refreshToken } = await loggedIn()
    const next = await refreshed(app, refreshToken)
    const last = await refreshed(app, next.refreshToken)
    expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
    await expectEnded(app, last)
  })

  test('REFRESH_TOKEN_REUSE_GRACE_SECONDS sets the time', async () => {
    const { app, refreshToken } = await loggedIn({ REFRESH_TOKEN_REUSE_GRACE_SECONDS: '60' })
    await refreshed(app, refreshToken)
    app.clock.advance(59)
    const next = await refreshed(app, refreshToken)
    app.clock.advance(1)
    expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
    await expectEnded(app, next)
  })

  test('with 0 it is never accepted', async () => {
    const { app, refreshToken } = await loggedIn({ REFRESH_TOKEN_REUSE_GRACE_SECONDS: '0' })
    const next = await refreshed(app, refreshToken)
    expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
    await expectEnded(app, next)
  })
})

// The attacker and the user have the same token. The service cannot tell which one uses it second.
describe('a replaced token that is used again ends', () => {
  test('its session, with all its tokens', async () => {
    const { app, accessToken, refreshToken } = await loggedIn()
    const next = await refreshed(app, refreshToken)
    app.clock.advance(10)
    const response = await refresh(app, refreshToken)
    expectProblem(response, 'invalid_refresh_token')
    expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    await expectEnded(app, next)
    expectProblem(await getMe(app, accessToken), 'invalid_token')
  })

  test('its session, even if the token is much older', async () => {
    const { app, refreshToken } = await loggedIn()
    let last = await refreshed(app, refreshToken)
    for (let time = 0; time < 5; time += 1) {
      app.clock.advance(60)
      last = await refreshed(app, last.refreshToken)
    }
    expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
    await expectEnded(app, last)
  })

  test('no other session of the user', async () => {
    const { app, refreshToken } = await loggedIn()
    const other = await startSession(app)
    await refreshed(app, refreshToken)
    app.clock.advance(10)
    await refresh(app, refreshToken)
    expect((await getMe(app, other.accessToken)).statusCode).toBe(200)
    await refreshed(app, other.refreshToken)
  })
})

// A thief of a refresh token could otherwise do what needs the user.
test('a refresh does not count as a recent login', async () => {
  const app = await createTestApp()
  app.get('/payout', { onRequest: [app.requireUser, app.requireRecentLogin] }, async () => ({}))
  await register(app)
  const { refreshToken } = await startSession(app)
  app.clock.advance(11 * 60)
  const { accessToken } = tokensIn(await refresh(app, refreshToken))
  expectProblem(
    await app.inject({ url: '/payout', headers: bearer(accessToken) }),
    'reauthentication_required',
  )
  const body = { email: 'new@example.com' }
  expectProblem(await putMe(app, accessToken, body), 'reauthentication_required')
  const again = await startSession(app)
  expect((await putMe(app, again.accessToken, body)).statusCode).toBe(200)
})
