import { describe, expect, test } from 'vitest'
import { endDevice, endDevices } from '../../src/sessions/devices.ts'
import { callerOf, getMe, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { newPassword, post, refresh, startSession, tokensIn } from '../support/flows.ts'
import { expectAllEnded } from '../support/refresh-race.ts'
import { expectExactRevocation } from '../support/revocation.ts'
import { storedSessions } from '../support/stored.ts'

async function loggedIn() {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  await register(app)
  return { app, ...(await startSession(app)) }
}

const times = <Result>(count: number, run: (time: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, time) => run(time)))

const changePassword = (app: TestApp, accessToken: string, next = newPassword) =>
  post(app, 'change-password', { current_password: password, new_password: next }, accessToken)

// A concurrent refresh must not leave a valid token: only the attacker would stay logged in.
describe('while 30 sessions are refreshed, no token survives', () => {
  test('a logout from all devices', async () => {
    const { app, accessToken } = await loggedIn()
    const response = await expectAllEnded(app, () => post(app, 'logout-all', undefined, accessToken))
    expect(response?.statusCode).toBe(204)
    expect(await storedSessions(app)).toEqual([])
  })

  test('a password change, except those of the new session', async () => {
    const { app, accessToken } = await loggedIn()
    const response = await expectAllEnded(app, () => changePassword(app, accessToken))
    expect(response?.statusCode).toBe(200)
    expect(await storedSessions(app)).toHaveLength(1)
  })
})

test('logins with the old password during a password change are invalid after it', async () => {
  const { app, accessToken } = await loggedIn()
  const logins = Array.from({ length: 10 }, () => tryLogIn(app, 'alice', password))
  const change = changePassword(app, accessToken)
  const laterLogins = Array.from({ length: 10 }, () => tryLogIn(app, 'alice', password))
  const own = tokensIn(await change)
  for (const login of await Promise.all([...logins, ...laterLogins])) {
    if (login.statusCode !== 200) continue
    expect((await getMe(app, tokensIn(login).accessToken)).statusCode).toBe(401)
    expect((await refresh(app, tokensIn(login).refreshToken)).statusCode).toBe(401)
  }
  expect(await storedSessions(app)).toHaveLength(1)
  expect((await getMe(app, own.accessToken)).statusCode).toBe(200)
})

test('exactly one of 10 concurrent password changes succeeds', async () => {
  const { app, accessToken } = await loggedIn()
  const passwordOf = (time: number) => `Horse-Number-${time}`
  const answers = await times(10, (time) => changePassword(app, accessToken, passwordOf(time)))
  const winners = answers.flatMap(({ statusCode }, time) => (statusCode === 200 ? [time] : []))
  expect(winners).toHaveLength(1)
  expect((await tryLogIn(app, 'alice', passwordOf(winners[0] ?? -1))).statusCode).toBe(200)
})

// An answer to a logout or a password change is a promise: the copy of the token that a thief has is worthless now.
test('under load, a logout takes effect with its answer on both instances', () =>
  expectExactRevocation((app, { token }) => post(app, 'logout', {}, token)))

test('under load, a password change takes effect with its answer on both instances', () => {
  const change = { current_password: password, new_password: newPassword }
  return expectExactRevocation((app, { token }) => post(app, 'change-password', change, token))
})

// A thief who was just logged out must not log the owner out.
test('a session that has ended in the meantime ends no other', async () => {
  const { app, accessToken } = await loggedIn()
  const thief = await callerOf(app, accessToken)
  const owner = await startSession(app)
  const { sessionId } = await callerOf(app, owner.accessToken)
  await endDevice(app.ctx, thief, thief.sessionId)
  const refused = { problem: { code: 'invalid_token' } }
  await expect(endDevice(app.ctx, thief, sessionId)).rejects.toMatchObject(refused)
  await expect(endDevices(app.ctx, thief)).rejects.toMatchObject(refused)
  expect((await getMe(app, owner.accessToken)).statusCode).toBe(200)
})
