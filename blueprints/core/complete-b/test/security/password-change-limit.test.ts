import { expect, test, vi } from 'vitest'
import { password, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { post, startSession, tokensIn } from '../support/flows.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

const passwordOf = (number: number) => `${password}${number}`

const change = (app: TestApp, accessToken: string, from: string, to: string) =>
  post(app, 'change-password', { current_password: from, new_password: to }, accessToken)

// Each change costs two hashes and an email.
test('attempts to change the password are limited per user and hour, whatever their outcome', async () => {
  const app = await createTestApp({ RATE_LIMIT_PASSWORD_CHANGES: '3' })
  await register(app)
  let { accessToken } = await startSession(app)
  accessToken = tokensIn(await change(app, accessToken, password, passwordOf(1))).accessToken
  expectProblem(await change(app, accessToken, 'Wrong-Horse-7', passwordOf(2)), 'wrong_current_password')
  // Refused before it is counted.
  expectProblem(await change(app, accessToken, passwordOf(1), 'weak'), 'weak_password')
  accessToken = tokensIn(await change(app, accessToken, passwordOf(1), passwordOf(2))).accessToken
  const refused = await change(app, accessToken, passwordOf(2), passwordOf(3))
  expectProblem(refused, 'too_many_requests')
  expect(refused.headers['retry-after']).toBe('3600')
  app.clock.advance(60 * 60)
  const later = await startSession(app, 'alice', passwordOf(2))
  expect((await change(app, later.accessToken, passwordOf(2), passwordOf(3))).statusCode).toBe(200)
})

test('RATE_LIMIT_ENABLED=false turns the limit off, and that of the notices', async () => {
  const app = await createTestApp({ RATE_LIMIT_PASSWORD_CHANGES: '1', RATE_LIMIT_ENABLED: 'false' })
  await register(app)
  let { accessToken } = await startSession(app)
  for (let number = 0; number < 6; number += 1) {
    const from = number === 0 ? password : passwordOf(number)
    accessToken = tokensIn(await change(app, accessToken, from, passwordOf(number + 1))).accessToken
  }
  const notices = (await emailsTo(app)).filter(({ template }) => template === 'password_changed')
  expect(notices).toHaveLength(6)
})

test('the hash of the new password counts for its client in the hash queue', async () => {
  const app = await createTestApp()
  await register(app)
  const { accessToken } = await startSession(app)
  const hash = vi.spyOn(app.ctx.credentials, 'hash')
  expect((await change(app, accessToken, password, passwordOf(1))).statusCode).toBe(200)
  expect(hash.mock.calls).toEqual([[passwordOf(1), '127.0.0.1']])
})
