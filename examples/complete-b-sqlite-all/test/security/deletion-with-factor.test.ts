import { expect, test } from 'vitest'
import { bearer, password } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, tokensIn } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { logInWithTotp, registerWithTotp } from '../support/totp.ts'

test('no password replaces a recent login with the app at the deletion: it is not even checked', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  const session = await logInWithTotp(app, secret)
  app.clock.advance(11 * 60)
  const { accessToken } = tokensIn(await refresh(app, session.refreshToken))
  const remove = (token: string, current_password: string) =>
    app.inject({
      method: 'DELETE',
      url: '/api/v1/users/me',
      headers: bearer(token),
      body: { current_password },
    })
  for (const given of [password, 'Wrong-1'])
    expectProblem(await remove(accessToken, given), 'reauthentication_required')
  const recent = await logInWithTotp(app, secret)
  expect((await remove(recent.accessToken, password)).statusCode).toBe(204)
})
