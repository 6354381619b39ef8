import { describe, expect, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { updateUser } from '../../src/users/users.ts'
import { getMe, password, putMe, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import {
  handleRequests,
  newPassword,
  post,
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  tokensIn,
  verify,
} from '../support/flows.ts'
import { emailedToken, emailedTokens } from '../support/mailbox.ts'
import { expectAllEnded } from '../support/refresh-race.ts'
import { storedSessions } from '../support/stored.ts'

const createUnlimitedApp = () => createTestApp({ RATE_LIMIT_ENABLED: 'false' })

const twentyTimes = <Result>(run: (time: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, time) => run(time)))

/** Counts the responses by status. */
function countStatuses(answers: { statusCode: number }[]) {
  const counts: Record<number, number> = {}
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1
  return counts
}

test('exactly one of 20 concurrent verifications with one token succeeds', async () => {
  const app = await createUnlimitedApp()
  await register(app)
  const token = await emailedToken(app, 'verification')
  expect(countStatuses(await twentyTimes(() => verify(app, token)))).toEqual({ 200: 1, 400: 19 })
})

test('exactly one of 20 concurrent resets with one token sets its password', async () => {
  const app = await createUnlimitedApp()
  await register(app)
  const token = await requestReset(app)
  const passwordOf = (time: number) => `Horse-Number-${time}`
  const answers = await twentyTimes((time) => resetPassword(app, token, passwordOf(time)))
  expect(countStatuses(answers)).toEqual({ 200: 1, 400: 19 })
  const winner = answers.findIndex(({ statusCode }) => statusCode === 200)
  expect((await tryLogIn(app, 'alice', passwordOf(winner))).statusCode).toBe(200)
})

// A login with the old password during the reset must not leave a session.
test('logins with the old password during a reset leave no session', async () => {
  const app = await createUnlimitedApp()
  await register(app)
  const token = await requestReset(app)
  const logins = Array.from({ length: 10 }, () => tryLogIn(app, 'alice', password))
  const reset = resetPassword(app, token)
  const laterLogins = Array.from({ length: 10 }, () => tryLogIn(app, 'alice', password))
  expect((await reset).statusCode).toBe(200)
  for (const login of await Promise.all([...logins, ...laterLogins])) {
    if (login.statusCode !== 200) continue
    const { accessToken, refreshToken } = tokensIn(login)
    expect((await getMe(app, accessToken)).statusCode).toBe(401)
    expect((await refresh(app, refreshToken)).statusCode).toBe(401)
  }
  expect(await storedSessions(app)).toEqual([])
  await startSession(app, 'alice', newPassword)
})

test('a request for an email that is handled during a change of the address sends no email', async () => {
  const app = await createUnlimitedApp()
  const { id, email } = await registerVerified(app)
  await post(app, 'forgot-password', { email })
  const handled = await app.db.transaction(async (tx) => {
    await updateUser(tx, id, { email: 'new@example.com' })
    return [handleRequests(app)]
  })
  await Promise.all(handled)
  expect(await emailedTokens(app, 'reset', email)).toEqual([])
  expect(await emailedTokens(app, 'reset', 'new@example.com')).toEqual([])
})

test('a registration and a request for the same address race: the registration gets it', async () => {
  const app = await createUnlimitedApp()
  await register(app, 'bob')
  const { accessToken } = await startSession(app, 'bob')
  const email = 'alice@example.com'
  const answers = await Promise.all([
    putMe(app, accessToken, { email }),
    app.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      body: { username: 'alice', email, password },
    }),
  ])
  // A request reserves nothing, so it can only be refused because it came second.
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([expect.toBeOneOf([200, 409]), 201])
  expect(await emailedTokens(app, 'verification', email)).toHaveLength(1)
})

// Failed refreshes are expected in a race, so their limit is raised.
async function loggedIn(env: Record<string, string> = {}) {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false', ...env })
  await register(app)
  return { app, ...(await startSession(app)) }
}

describe('20 concurrent refreshes with one token', () => {
  test('all return the same successor', async () => {
    const { app, refreshToken } = await loggedIn()
    const answers = (await twentyTimes(() => refresh(app, refreshToken))).map(tokensIn)
    const successors = new Set(answers.map((tokens) => tokens.refreshToken))
    expect(successors.size).toBe(1)
    for (const { accessToken } of answers) expect((await getMe(app, accessToken)).statusCode).toBe(200)
    const [successor = ''] = successors
    expect((await refresh(app, successor)).statusCode).toBe(200)
    expect(await storedSessions(app)).toHaveLength(1)
  })

  test('without a grace period: exactly one succeeds, and the others end the session', async () => {
    const { app, refreshToken } = await loggedIn({ REFRESH_TOKEN_REUSE_GRACE_SECONDS: '0' })
    const answers = await twentyTimes(() => refresh(app, refreshToken))
    const winners = answers.filter(({ statusCode }) => statusCode === 200)
    expect(winners).toHaveLength(1)
    for (const winner of winners) {
      const { accessToken, refreshToken: successor } = tokensIn(winner)
      expect((await getMe(app, accessToken)).statusCode).toBe(401)
      expect((await refresh(app, successor)).statusCode).toBe(401)
    }
    expect(await storedSessions(app)).toEqual([])
  })
})

// A concurrent refresh must not leave a valid token: only the attacker would stay logged in.
describe('while 30 sessions are refreshed, no token survives', () => {
  test('a password reset', async () => {
    const { app } = await loggedIn()
    const token = await requestReset(app)
    const response = await expectAllEnded(app, () => resetPassword(app, token))
    expect(response?.statusCode).toBe(200)
    expect(await storedSessions(app)).toEqual([])
  })

  test('a deactivation', async () => {
    const { app } = await loggedIn()
    const commands = await loadUserCommands()
    const context = { ...app.ctx, readPassword: async () => password }
    await expectAllEnded(app, () => runUserCommand(commands, ['deactivate', 'alice'], context))
    expect(await storedSessions(app)).toEqual([])
  })
})
