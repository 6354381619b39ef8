import { describe, expect, test } from 'vitest'
import { deriveKeys } from '../src/keys.ts'
import { getMe, register } from './support/accounts.ts'
import { createTestApp, type TestApp } from './support/app.ts'
import { refresh, requestReset, resetPassword, startSession, tokensIn, verify } from './support/flows.ts'
import { emailedToken, emailsTo } from './support/mailbox.ts'
import { expectProblem } from './support/problem.ts'
import { settingNames, testConfig } from './support/settings.ts'

const newSecret = 'another-secret-of-at-least-32-bytes!'

/** Starts a service with another secret on the same database. */
const restarted = ({ config, db }: TestApp, previousSecrets = config.accessTokens.secret) =>
  createTestApp(
    { [settingNames.secret]: newSecret, [settingNames.previousSecrets]: previousSecrets },
    false,
    {
      db,
    },
  )

async function registered() {
  const app = await createTestApp()
  await register(app)
  return app
}

describe('while the former secret is listed', () => {
  test('sessions continue, with tokens of the new secret', async () => {
    const app = await registered()
    const { accessToken, refreshToken } = await startSession(app)
    const next = await restarted(app)
    expect((await getMe(next, accessToken)).statusCode).toBe(200)
    const first = tokensIn(await refresh(next, refreshToken))
    const second = tokensIn(await refresh(next, first.refreshToken))
    expect((await getMe(next, second.accessToken)).statusCode).toBe(200)
    const later = await restarted(app, '')
    expect((await refresh(later, second.refreshToken)).statusCode).toBe(200)
  })

  test('a client that lost the response before the restart gets the same successor after it', async () => {
    const app = await registered()
    const { refreshToken } = await startSession(app)
    const { refreshToken: successor } = tokensIn(await refresh(app, refreshToken))
    const next = await restarted(app)
    expect(tokensIn(await refresh(next, refreshToken)).refreshToken).toBe(successor)
    expect((await refresh(next, successor)).statusCode).toBe(200)
  })

  test('a replay of a former token still ends its session', async () => {
    const app = await registered()
    const { refreshToken } = await startSession(app)
    const successor = tokensIn(await refresh(app, refreshToken))
    const next = await restarted(app)
    next.clock.advance(60)
    expectProblem(await refresh(next, refreshToken), 'invalid_refresh_token')
    expectProblem(await getMe(next, successor.accessToken), 'invalid_token')
  })

  test('queued emails can still be decrypted, and their tokens work', async () => {
    const app = await registered()
    await requestReset(app)
    const next = await restarted(app)
    expect(await emailsTo(next)).toEqual(await emailsTo(app))
    expect((await verify(next, await emailedToken(next, 'verification'))).statusCode).toBe(200)
    expect((await resetPassword(next, await emailedToken(next, 'reset'))).statusCode).toBe(200)
  })
})

test('without the former secret all sessions have ended', async () => {
  const app = await registered()
  const { accessToken, refreshToken } = await startSession(app)
  const next = await restarted(app, '')
  expectProblem(await getMe(next, accessToken), 'invalid_token')
  expectProblem(await refresh(next, refreshToken), 'invalid_refresh_token')
})

test('each purpose has its own key: a leaked one must not open the others', () => {
  const rings = deriveKeys(testConfig({}).accessTokens)
  const keys = Object.values(rings).map(([key]) => key.toString('hex'))
  expect(new Set(keys).size).toBe(keys.length)
})
