import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { endSessions, sessions } from '../../src/sessions/store.ts'
import { getMe } from '../support/accounts.ts'
import { formerToken, switchedApp } from '../support/former-tokens.ts'
import { expectProblem } from '../support/problem.ts'

test('an access token of the other profile is revoked when its session ends', async () => {
  const { app, id } = await switchedApp()
  const token = await formerToken(app)
  expect((await getMe(app, token)).statusCode).toBe(200)
  await app.db.transaction((tx) => endSessions(tx, eq(sessions.userId, id)))
  expectProblem(await getMe(app, token), 'invalid_token')
})

test.each([{ sid: undefined }, { sid: 4711 }, { sid: '1' }])(
  'an access token of the other profile with %j is refused',
  async (change) => {
    const { app } = await switchedApp()
    expectProblem(await getMe(app, await formerToken(app, change)), 'invalid_token')
  },
)
