import { expect, test } from 'vitest'
import { deriveKeys } from '../../src/accounts/keys.ts'
import { firstToken, hashToken } from '../../src/accounts/refresh-tokens.ts'
import { tokens } from '../../src/db/schema/tokens.ts'
import { getMe, readUser, register } from '../accounts.ts'
import { createTestApp } from '../app.ts'
import { refresh, verify } from '../flows.ts'
import { mailedToken } from '../mailbox.ts'
import { expectProblem } from '../problem.ts'

// All kinds are in one table: a row of one kind must not pass for another, whatever gets its id or its text there.
async function registered() {
  const app = await createTestApp()
  const { id } = await register(app)
  const [verification] = await app.db.read.select().from(tokens)
  if (!verification) throw new Error('Nothing was mailed')
  return { app, user: await readUser(app, id), verification }
}

test('a token that was mailed is no session', async () => {
  const { app, user, verification } = await registered()
  const accessToken = app.accounts.accessTokens.issue(user, { claims: { sid: verification.id } })
  expectProblem(await getMe(app, accessToken), 'invalid_token')
  expectProblem(await refresh(app, await mailedToken(app, 'verification')), 'invalid_refresh_token')
  const { text } = firstToken(verification.id, deriveKeys(app.config.accessTokens).refreshTokens)
  expectProblem(await refresh(app, text), 'invalid_refresh_token')
  expect(await app.db.read.select().from(tokens)).toEqual([verification])
})

test('a session is no token that was mailed', async () => {
  const { app, user } = await registered()
  const { refreshToken } = await app.db.transaction((tx) => app.accounts.sessions.start(tx, user, {}))
  expect(await app.db.read.$count(tokens)).toBe(2)
  expect((await app.db.read.select().from(tokens)).map(({ token }) => token)).toContain(
    hashToken(refreshToken),
  )
  expectProblem(await verify(app, refreshToken), 'invalid_or_expired_token')
})
