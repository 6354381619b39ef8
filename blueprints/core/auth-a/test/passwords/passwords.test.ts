import { describe, expect, test } from 'vitest'
import { logIn, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, shareTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const send = (app: TestApp, password: string) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    body: { email: 'alice@example.com', username: 'alice', password },
  })

describe('a weak password', async () => {
  const app = await shareTestApp()

  test.each([
    ['Sh0rtpw', ['Password must be at least 8 characters']],
    ['lowercase1', ['Password must contain uppercase letter']],
    ['UPPERCASE1', ['Password must contain lowercase letter']],
    ['NoDigitsHere', ['Password must contain digit']],
    [
      '--------',
      [
        'Password must contain uppercase letter',
        'Password must contain lowercase letter',
        'Password must contain digit',
      ],
    ],
    [
      '',
      [
        'Password must be at least 8 characters',
        'Password must contain uppercase letter',
        'Password must contain lowercase letter',
        'Password must contain digit',
      ],
    ],
    [`Aa1${'x'.repeat(70)}`, ['Password must be at most 72 bytes']],
  ])('%j breaks these rules: %j', async (password, messages) => {
    const body = expectProblem(await send(app, password), 'weak_password')
    expect(body.title).toBe(messages[0])
    expect(body.errors).toEqual(
      messages.map((message) => ({ field: 'password', code: expect.stringMatching(/^password_/), message })),
    )
  })
})

test('no special character is required', async () => {
  const app = await createTestApp()
  expect((await send(app, 'Plainword1')).statusCode).toBe(201)
})

test('the composition rules can be turned off and the minimum length raised', async () => {
  const app = await createTestApp({ PASSWORD_COMPOSITION: 'false', PASSWORD_MIN_LENGTH: '12' })
  const body = expectProblem(await send(app, 'elevenchars'), 'weak_password')
  expect(body.title).toBe('Password must be at least 12 characters')
  expect((await send(app, 'twelve chars')).statusCode).toBe(201)
})

// bcrypt ignores everything after byte 72: without these rules any ending would be accepted.
describe('72 bytes', () => {
  const longest = `Aa1${'x'.repeat(69)}`

  test('are the maximum length of a password, counted in bytes', async () => {
    const app = await createTestApp()
    expectProblem(await send(app, `Aa1${'é'.repeat(35)}`), 'weak_password')
    expect((await send(app, `Aa1${'é'.repeat(34)}x`)).statusCode).toBe(201)
  })

  test('followed by any ending are not the password', async () => {
    const app = await createTestApp()
    await register(app, 'alice', longest)
    await logIn(app, 'alice', longest)
    expectProblem(await tryLogIn(app, 'alice', `${longest}x`), 'invalid_credentials')
  })
})
