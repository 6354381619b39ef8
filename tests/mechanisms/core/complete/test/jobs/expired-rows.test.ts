import { expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { attempts } from '../../src/db/schema/attempts.ts'
import { emailChanges } from '../../src/db/schema/email-changes.ts'
import { outbox } from '../../src/db/schema/outbox.ts'
import { users } from '../../src/db/schema/users.ts'
import { cleanUp } from '../../src/jobs/clean-up.ts'
import { register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import {
  refresh,
  registerVerified,
  requestReset,
  resetPassword,
  startSession,
  verify,
} from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import { countStored } from '../support/stored.ts'

const day = 24 * 60 * 60
const week = 7 * day

const cleanedUp = async (app: TestApp) => {
  await cleanUp(app.ctx)
  return { ...(await countStored(app)), attempts: await app.db.read.$count(attempts) }
}

/** Creates an app with a user, a session, two emailed tokens and a failed login. */
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
  expect(await cleanedUp(app)).toEqual({ sessions: 1, emailTokens: 2, attempts: 8 })
  expect((await refresh(app, refreshToken)).statusCode).toBe(200)
  expect((await verify(app, await emailedToken(app, 'verification'))).statusCode).toBe(200)
  expect((await resetPassword(app, await emailedToken(app, 'reset'))).statusCode).toBe(200)
})

test('the clean-up deletes each row after it has expired', async () => {
  const { app } = await busyApp()
  app.clock.advance(61)
  expect(await cleanedUp(app)).toEqual({ sessions: 1, emailTokens: 2, attempts: 6 })
  app.clock.advance(30 * 60)
  expect(await cleanedUp(app)).toEqual({ sessions: 1, emailTokens: 1, attempts: 5 })
  app.clock.advance(30 * 60)
  expect(await cleanedUp(app)).toEqual({ sessions: 1, emailTokens: 0, attempts: 3 })
  app.clock.advance(app.config.sessions.idleSeconds)
  // Two clients stay familiar for 30 days.
  expect(await cleanedUp(app)).toEqual({ sessions: 0, emailTokens: 0, attempts: 2 })
  app.clock.advance(30 * day)
  expect(await cleanedUp(app)).toEqual({ sessions: 0, emailTokens: 0, attempts: 0 })
  expect(await app.db.read.$count(users)).toBe(1)
})

test('emails are deleted after a week', async () => {
  const { app } = await busyApp()
  app.clock.advance(week)
  await requestReset(app)
  await cleanUp(app.ctx)
  expect(await app.db.read.$count(outbox)).toBe(3)
  app.clock.advance(1)
  await cleanUp(app.ctx)
  expect(await app.db.read.$count(outbox)).toBe(1)
})

test('the clean-up deletes a token that undoes a change of the email address after 7 days', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  await changeEmail(app, (await startSession(app)).accessToken, 'new@example.com')
  app.clock.advance(week)
  await cleanUp(app.ctx)
  expect(await app.db.read.$count(emailChanges)).toBe(1)
  app.clock.advance(1)
  await cleanUp(app.ctx)
  expect(await app.db.read.$count(emailChanges)).toBe(0)
})

test('a table that cannot be cleaned up does not keep the others from it', async () => {
  const { app } = await busyApp()
  app.clock.advance(app.config.sessions.idleSeconds + 31 * day)
  let isFirst = true
  const transaction: Database['transaction'] = (work, options) => {
    if (!isFirst) return app.db.transaction(work, options)
    isFirst = false
    return Promise.reject(new Error('disk full'))
  }
  await cleanUp({ ...app.ctx, db: { ...app.db, transaction } })
  expect(await countStored(app)).toEqual({ sessions: 0, emailTokens: 0 })
  expect(await app.db.read.$count(attempts)).toBe(8)
  expect(await app.db.read.$count(outbox)).toBe(0)
})
