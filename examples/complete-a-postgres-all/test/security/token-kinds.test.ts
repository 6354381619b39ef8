import { expect, test } from 'vitest'
import { tokens } from '../../src/db/schema/tokens.ts'
import { deriveKeys } from '../../src/keys.ts'
import { firstToken, hashToken } from '../../src/sessions/refresh-tokens.ts'
import { startSession } from '../../src/sessions/sessions.ts'
import { getMe, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, verify } from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

// All kinds are in one table: a row of one kind must not be accepted as another.
async function registered() {
  const app = await createTestApp()
  const { id } = await register(app)
  const [verification] = await app.db.read.select().from(tokens)
  if (!verification) throw new Error('Nothing was emailed')
  return { app, user: await readUser(app, id), verification }
}

test('an emailed token is not accepted as a session', async () => {
  const { app, user, verification } = await registered()
  const accessToken = app.ctx.accessTokens.issue(user, { claims: { sid: verification.id } })
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expectProblem(await refresh(app, await emailedToken(app, 'verification')), 'invalid_refresh_token')
  const { text } = firstToken(verification.id, deriveKeys(app.config.accessTokens).refreshTokens)
  expectProblem(await refresh(app, text), 'invalid_refresh_token')
  expect(await app.db.read.select().from(tokens)).toEqual([verification])
})

test('a session is not accepted as an emailed token', async () => {
  const { app, user } = await registered()
  const session = await app.db.transaction((tx) =>
    startSession(app.ctx, tx, { user, client: { address: '192.0.2.1' } }),
  )
  expect(await app.db.read.$count(tokens)).toBe(2)
  expect((await app.db.read.select().from(tokens)).map(({ token }) => token)).toContain(
    hashToken(session.refresh_token),
  )
  expectProblem(await verify(app, session.refresh_token), 'invalid_or_expired_token')
})
