import { describe, expect, test } from 'vitest'
import { getMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { post, refresh, startSession, type Tokens, tokensIn } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

async function loggedInTwice() {
  const app = await createTestApp()
  await register(app)
  const session = await startSession(app)
  const other = await startSession(app)
  const expectEnded = async ({ accessToken, refreshToken }: Tokens) => {
    expectProblem(await getMe(app, accessToken), 'invalid_token')
    expectProblem(await refresh(app, refreshToken), 'invalid_refresh_token')
  }
  const expectLive = async ({ accessToken, refreshToken }: Tokens) => {
    expect((await getMe(app, accessToken)).statusCode).toBe(200)
    expect((await refresh(app, refreshToken)).statusCode).toBe(200)
  }
  return { app, session, other, expectEnded, expectLive }
}

describe('logout', () => {
  test('with the refresh token ends only its session', async () => {
    const { app, session, other, expectEnded, expectLive } = await loggedInTwice()
    const response = await post(app, 'logout', { refresh_token: session.refreshToken })
    expect(response.statusCode).toBe(204)
    expect(response.body).toBe('')
    await expectEnded(session)
    await expectLive(other)
  })

  test('with the access token ends only its session', async () => {
    const { app, session, other, expectEnded, expectLive } = await loggedInTwice()
    expect((await post(app, 'logout', undefined, session.accessToken)).statusCode).toBe(204)
    await expectEnded(session)
    await expectLive(other)
  })

  test('with an empty object as body uses the access token', async () => {
    const { app, session, expectEnded } = await loggedInTwice()
    expect((await post(app, 'logout', {}, session.accessToken)).statusCode).toBe(204)
    await expectEnded(session)
  })

  test('can be repeated', async () => {
    const { app, session, other, expectLive } = await loggedInTwice()
    for (let time = 0; time < 3; time += 1)
      expect((await post(app, 'logout', { refresh_token: session.refreshToken })).statusCode).toBe(204)
    await expectLive(other)
  })

  test('with a replaced token also ends the session', async () => {
    const { app, session, expectEnded } = await loggedInTwice()
    const next = tokensIn(await refresh(app, session.refreshToken))
    expect((await post(app, 'logout', { refresh_token: session.refreshToken })).statusCode).toBe(204)
    await expectEnded(next)
  })

  test('with an unknown token ends nothing', async () => {
    const { app, session, expectLive } = await loggedInTwice()
    for (const token of ['', 'nonsense', 'a'.repeat(72)])
      expect((await post(app, 'logout', { refresh_token: token })).statusCode).toBe(204)
    await expectLive(session)
  })

  test('without a valid token is refused', async () => {
    const { app, session, expectLive } = await loggedInTwice()
    for (const body of [undefined, {}]) {
      const response = await post(app, 'logout', body)
      expectProblem(response, 'not_authenticated')
      expect(response.headers['www-authenticate']).toBe('Bearer')
    }
    expectProblem(await post(app, 'logout', undefined, 'nonsense'), 'invalid_token')
    await expectLive(session)
  })

  test('with a token that is not text is refused', async () => {
    const { app } = await loggedInTwice()
    for (const token of [null, 1, ['text'], true])
      expectProblem(await post(app, 'logout', { refresh_token: token }), 'validation_failed')
  })
})

describe('logout-all', () => {
  test('ends all sessions of the user and of no other user', async () => {
    const { app, session, other, expectEnded, expectLive } = await loggedInTwice()
    await register(app, 'bob')
    const bob = await startSession(app, 'bob')
    expect((await post(app, 'logout-all', undefined, session.accessToken)).statusCode).toBe(204)
    await expectEnded(session)
    await expectEnded(other)
    await expectLive(bob)
    expect(await storedSessions(app)).toHaveLength(1)
  })

  test('needs an access token: a refresh token is not enough', async () => {
    const { app, session, expectLive } = await loggedInTwice()
    expectProblem(await post(app, 'logout-all'), 'not_authenticated')
    expectProblem(await post(app, 'logout-all', undefined, session.refreshToken), 'invalid_token')
    await expectLive(session)
  })
})

test('the OpenAPI document says that logout needs no body', async () => {
  const app = await createTestApp()
  const { paths } = (await app.inject({ url: '/openapi.json' })).json()
  const { requestBody } = paths['/api/v1/auth/logout'].post
  expect(requestBody).not.toHaveProperty('required')
  expect(requestBody.content['application/json'].schema.type).toBe('object')
})
