import { and, eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findCaller } from '../../src/sessions/caller.ts'
import { liveSessions, revokeSessions, sessions } from '../../src/sessions/store.ts'
import { getMe, readUser, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, startSession } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { countStored, storedSessions } from '../support/stored.ts'

test('a login starts a session and returns its two tokens', async () => {
  const app = await createTestApp()
  await register(app)
  expect(await storedSessions(app)).toEqual([])
  const response = await tryLogIn(app, 'alice', 'Correct-Horse-7')
  expect(response.json()).toEqual({
    access_token: expect.any(String),
    token_type: 'bearer',
    expires_in: expect.any(Number),
    refresh_token: expect.stringMatching(/^[\w-]{72}$/),
  })
  expect(await storedSessions(app)).toHaveLength(1)
})

test('an unverified user may log in', async () => {
  const app = await createTestApp()
  const { is_verified } = (await register(app)) as { is_verified?: boolean }
  expect(is_verified).toBe(false)
  await startSession(app)
})

test('an access token is revoked when its session ends', async () => {
  const app = await createTestApp()
  await register(app)
  const { accessToken } = await startSession(app)
  expect((await getMe(app, accessToken)).statusCode).toBe(200)
  await app.db.transaction((tx) => revokeSessions(tx, liveSessions(app.now())))
  expectProblem(await getMe(app, accessToken), 'invalid_token')
})

test("an access token with another user's session is refused", async () => {
  const app = await createTestApp()
  const alice = await register(app)
  const bob = await register(app, 'bob')
  await startSession(app, 'bob')
  const [bobs] = await storedSessions(app)
  expect(bobs?.userId).toBe(bob.id)
  const forged = app.ctx.accessTokens.issue(await readUser(app, alice.id), {
    claims: { sid: bobs?.id },
  })
  expectProblem(await getMe(app, forged), 'invalid_token')
  expect(await findCaller(app.ctx, app.ctx.accessTokens.verify(forged))).toBeUndefined()
})

test.each([undefined, 0, '1', '2', 1.5, 4711])(
  'an access token with the session %j is refused',
  async (sid) => {
    const app = await createTestApp()
    const { id } = await register(app)
    await startSession(app)
    const token = app.ctx.accessTokens.issue(await readUser(app, id), { claims: { sid } })
    expectProblem(await getMe(app, token), 'invalid_token')
  },
)

test('a user can have 50 sessions; one more ends the oldest', async () => {
  const app = await createTestApp()
  await register(app)
  await register(app, 'bob')
  const bob = await startSession(app, 'bob')
  const sessions = []
  for (let time = 0; time < 51; time += 1) sessions.push(await startSession(app))
  const [oldest, second] = sessions
  expectProblem(await getMe(app, oldest?.accessToken), 'invalid_token')
  expectProblem(await refresh(app, oldest?.refreshToken ?? ''), 'invalid_refresh_token')
  expect((await getMe(app, second?.accessToken)).statusCode).toBe(200)
  expect((await getMe(app, bob.accessToken)).statusCode).toBe(200)
  expect(await storedSessions(app)).toHaveLength(51)
  // Neither does the oldest leave a row: a thief who logs in all day would fill the table.
  expect((await countStored(app)).sessions).toBe(51)
})

// A thief who logs in and out all day would fill the table, and all requests that end the sessions would time out.
test('sessions that have ended leave no rows after the next login of the user', async () => {
  const app = await createTestApp()
  await register(app)
  await register(app, 'bob')
  for (const name of ['bob', 'alice', 'alice']) await startSession(app, name)
  await app.db.transaction((tx) => revokeSessions(tx, liveSessions(app.now())))
  const { accessToken } = await startSession(app, 'bob')
  for (let time = 0; time < 3; time += 1) {
    await startSession(app)
    const alices = and(eq(sessions.userId, 1), liveSessions(app.now()))
    await app.db.transaction((tx) => revokeSessions(tx, alices))
  }
  await startSession(app)
  expect((await countStored(app)).sessions).toBe(2)
  expect((await getMe(app, accessToken)).statusCode).toBe(200)
})
