import { expect, test } from 'vitest'
import { getMe, password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { post, startSession } from '../support/flows.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

test('a change refuses a common password, and changes nothing', async () => {
  const app = await createTestApp()
  await register(app)
  const { accessToken } = await startSession(app)
  for (const common of ['Password1!', 'My-Alice-pw-7']) {
    const body = { current_password: password, new_password: common }
    const { errors } = expectProblem(
      await post(app, 'change-password', body, accessToken),
      'password_too_common',
    )
    expect(errors).toMatchObject([{ field: 'new_password', code: 'password_too_common' }])
  }
  expect((await getMe(app, accessToken)).statusCode).toBe(200)
  expect((await tryLogIn(app, 'alice', password, '192.0.2.99')).statusCode).toBe(200)
  expect(await emailsTo(app)).toHaveLength(1)
})
