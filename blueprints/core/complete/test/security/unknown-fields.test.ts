import { expect, test } from 'vitest'
import { password, readUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { newPassword, post, requestReset, startSession } from '../support/flows.ts'
import { emailedToken } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const fields = [
  { is_verified: true },
  { is_active: true },
  { user_id: 2 },
  { id: 2 },
  { email_verified: true },
]

// Unknown fields are refused, so that future code cannot write them into a row (mass assignment).
test.each(fields)('every account endpoint refuses %j', async (field) => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const { id } = await register(app)
  const { refreshToken } = await startSession(app)
  const before = await readUser(app, id)
  const email = 'alice@example.com'
  const requests: [string, object][] = [
    ['register', { username: 'bob', email: 'bob@example.com', password }],
    ['login', { username: 'alice', password }],
    ['refresh', { refresh_token: refreshToken }],
    ['verify-email', { token: await emailedToken(app, 'verification') }],
    ['reset-password', { token: await requestReset(app), new_password: newPassword }],
    ['resend-verification', { email }],
    ['forgot-password', { email }],
  ]
  for (const [path, body] of requests) {
    const { errors } = expectProblem(await post(app, path, { ...body, ...field }), 'validation_failed')
    expect(errors, path).toEqual([{ field: '', code: 'unknown_field', message: 'Unknown field' }])
  }
  expect(await readUser(app, id)).toEqual(before)
  for (const [path, body] of requests)
    expect((await post(app, path, body)).statusCode, path).toBeLessThan(300)
})
