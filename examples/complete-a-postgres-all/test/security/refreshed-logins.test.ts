import { expect, test } from 'vitest'
import { bearer, putMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, startSession, tokensIn } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'

// A thief of a refresh token could otherwise do what needs the user.
test('a refresh does not count as a recent login', async () => {
  const app = await createTestApp()
  app.get('/payout', { onRequest: [app.requireUser, app.requireRecentLogin] }, async () => ({}))
  await register(app)
  const { refreshToken } = await startSession(app)
  app.clock.advance(11 * 60)
  const { accessToken } = tokensIn(await refresh(app, refreshToken))
  expectProblem(
    await app.inject({ url: '/payout', headers: bearer(accessToken) }),
    'reauthentication_required',
  )
  const body = { email: 'new@example.com' }
  expectProblem(await putMe(app, accessToken, body), 'reauthentication_required')
  const again = await startSession(app)
  expect((await putMe(app, again.accessToken, body)).statusCode).toBe(200)
})
