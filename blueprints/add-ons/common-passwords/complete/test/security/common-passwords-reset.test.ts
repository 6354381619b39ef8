import { expect, test } from 'vitest'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { requestReset, resetPassword } from '../support/flows.ts'
import { expectProblem } from '../support/problem.ts'

test('a reset refuses a common password, and does not consume the token', async () => {
  const app = await createTestApp()
  await register(app)
  const token = await requestReset(app)
  for (const common of ['Password1!', 'My-Alice-pw-7']) {
    const { errors } = expectProblem(await resetPassword(app, token, common), 'password_too_common')
    expect(errors).toMatchObject([{ field: 'new_password', code: 'password_too_common' }])
  }
  expect((await resetPassword(app, token)).statusCode).toBe(200)
})
