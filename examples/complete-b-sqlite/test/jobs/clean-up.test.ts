import { expect, test } from 'vitest'
import { attempts } from '../../src/db/schema/attempts.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { users } from '../../src/db/schema/users.ts'
import { cleanUp } from '../../src/jobs/clean-up.ts'
import { register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { refresh, requestReset, resetPassword, startSession, verify } from '../support/flows.ts'
import { mailedToken } from '../support/mailbox.ts'
import { countStored } from '../support/stored.ts'

const day = 24 * 60 * 60
const week = 7 * day

const cleanedUp = async (app: TestApp) => {
  await cleanUp(app.db, app.now())
  return { ...(await countStored(app)), attempts: await app.db.read.$count(attempts) }
}

/** Creates an app with a user, a session, two mailed tokens and a failed login. */
async function busyApp() {
  const app = await createTestApp()
  await register(app)
  const { refreshToken } = await startSession(app)
  await requestReset(app)
  await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  return { app, refreshToken }
}

test('the clean-up keeps what is still valid', async () => {
  const { app, refreshToken } = await busyApp()
  expect(await cleanedUp(app)).toEqual({ sessions: 1, emailTokens: 2, attempts: 7 })
  expect((await refresh(app, refreshToken)).statusCode).toBe(200)
  expect((await verify(app, await mailedToken(app, 'verification'))).statusCode).toBe(200)
  expect((await resetPassword(app, await mailedToken(app, 'reset'))).statusCode).toBe(200)
})

test('the clean-up deletes each row after it has expired', async () => {
  const { app } = await busyApp()
  app.clock.advance(61)
  expect(await cleanedUp(app)).toEqual({ sessions: 1, emailTokens: 2, attempts: 5 })
  app.clock.advance(30 * 60)
  expect(await cleanedUp(app)).toEqual({ sessions: 1, emailTokens: 1, attempts: 4 })
  app.clock.advance(30 * 60)
  expect(await cleanedUp(app)).toEqual({ sessions: 1, emailTokens: 0, attempts: 3 })
  app.clock.advance(app.config.sessions.idleSeconds)
  // Two clients stay familiar for 30 days.
  expect(await cleanedUp(app)).toEqual({ sessions: 0, emailTokens: 0, attempts: 2 })
  app.clock.advance(30 * day)
  expect(await cleanedUp(app)).toEqual({ sessions: 0, emailTokens: 0, attempts: 0 })
  expect(await app.db.read.$count(users)).toBe(1)
})

test('mails are deleted after a week', async () => {
  const { app } = await busyApp()
  app.clock.advance(week)
  await requestReset(app)
  await cleanUp(app.db, app.now())
  expect(await app.db.read.$count(outbox)).toBe(3)
  app.clock.advance(1)
  await cleanUp(app.db, app.now())
  expect(await app.db.read.$count(outbox)).toBe(1)
})
