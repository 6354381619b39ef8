import { expect, test } from 'vitest'
import { password } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { newPassword, post, tokensIn } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'
import { logInWithTotp, registerWithTotp } from '../support/totp.ts'

test('a new password keeps the login time and the second factor of its session', async () => {
  const app = await createTestApp()
  const { secret } = await registerWithTotp(app)
  const { accessToken } = await logInWithTotp(app, secret)
  const body = { current_password: password, new_password: newPassword }
  const response = await post(app, 'change-password', body, accessToken)
  const changed = tokensIn(response)
  expect(app.ctx.accessTokens.verify(changed.accessToken).payload.amr).toEqual(['pwd', 'otp', 'mfa'])
  app.clock.advance(11 * 60)
  const again = { current_password: newPassword, new_password: password }
  expectProblem(await post(app, 'change-password', again, changed.accessToken), 'reauthentication_required')
})
