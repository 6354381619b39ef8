import { describe, expect, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { getMe, password, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, requestReset, resetPassword, startSession, tokensIn } from '../support/flows.ts'
import { expectAllEnded } from '../support/refresh-race.ts'
import { storedSessions } from '../support/stored.ts'

// Failed refreshes are expected in a race, so their limit is raised.
async function loggedIn(env: Record<string, string> = {}) {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false', ...env })
  await register(app)
  return { app, ...(await startSession(app)) }
}

const twentyTimes = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 20 }, run))

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
    const { db, config, log, now } = app
    const commands = await loadUserCommands()
    const context = { db, config, log, now, readPassword: async () => password }
    await expectAllEnded(app, () => runUserCommand(commands, ['deactivate', 'alice'], context))
    expect(await storedSessions(app)).toEqual([])
  })
})
