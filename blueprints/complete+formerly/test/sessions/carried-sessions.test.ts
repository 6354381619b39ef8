import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { deriveKeys } from '../../src/sessions/keys.ts'
import { firstToken, hashToken, successorsOf } from '../../src/sessions/refresh-tokens.ts'
import { sessions } from '../../src/sessions/store.ts'
import { getMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, startSession, tokensIn } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { storedSessions } from '../support/stored.ts'

const day = 24 * 60 * 60

/** Creates alice with a session from before a switch of the profile. The row was copied with its id. */
async function carried({ usedSecondsAgo = day / 2 } = {}) {
  const app = await createTestApp()
  await register(app)
  await startSession(app)
  const [session] = await storedSessions(app)
  if (!session) throw new Error('No session was started')
  const keys = deriveKeys(app.config.accessTokens).refreshTokens
  const token = firstToken(session.id, keys)
  const [next] = successorsOf(token, keys)
  if (!next) throw new Error('No successor')
  const ago = (seconds: number) => new Date(app.now() - seconds * 1000)
  await app.db.transaction(async (tx) => {
    await tx
      .update(sessions)
      .set({
        token: hashToken(next.text),
        createdAt: ago(28 * day),
        rotatedAt: ago(usedSecondsAgo),
        expiresAt: ago(-day / 4),
      })
      .where(eq(sessions.id, session.id))
  })
  const row = async () => (await app.db.read.select().from(sessions).where(eq(sessions.id, session.id)))[0]
  return { app, former: token.text, current: next.text, row }
}

test('a copied session continues, and ends 30 days after its login', async () => {
  const { app, current, row } = await carried()
  const first = tokensIn(await refresh(app, current))
  expect((await getMe(app, first.accessToken)).statusCode).toBe(200)
  app.clock.advance(day - 1)
  const second = tokensIn(await refresh(app, first.refreshToken))
  app.clock.advance(day - 1)
  const third = tokensIn(await refresh(app, second.refreshToken))
  expect((await row())?.expiresAt.getTime()).toBe(app.now() + 2000)
  app.clock.advance(2)
  expectProblem(await refresh(app, third.refreshToken), 'invalid_refresh_token')
})

test('a client that lost the response before the switch gets the same successor after it', async () => {
  const { app, former, current } = await carried({ usedSecondsAgo: 5 })
  expect(tokensIn(await refresh(app, former)).refreshToken).toBe(current)
  expect((await refresh(app, current)).statusCode).toBe(200)
})

test('a replay of a token that was replaced before the switch ends only its session', async () => {
  const { app, former, current } = await carried()
  const other = await startSession(app)
  expectProblem(await refresh(app, former), 'invalid_refresh_token')
  expectProblem(await refresh(app, current), 'invalid_refresh_token')
  expect((await refresh(app, other.refreshToken)).statusCode).toBe(200)
})
