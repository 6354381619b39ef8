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
    ['Sh0rt-w', ['Password must be at least 8 characters']],
    ['lower-case-1', ['Password must contain uppercase letter']],
    ['UPPER-CASE-1', ['Password must contain lowercase letter']],
    ['No-Digits-Here', ['Password must contain digit']],
    ['NoSpecial1', ['Password must contain special character']],
    [
      '',
      [
        'Password must be at least 8 characters',
        'Password must contain uppercase letter',
        'Password must contain lowercase letter',
        'Password must contain digit',
        'Password must contain special character',
      ],
    ],
    [`Aa1-${'x'.repeat(253)}`, ['Password must be at most 256 characters']],
  ])('%j breaks these rules: %j', async (password, messages) => {
    const body = expectProblem(await send(app, password), 'weak_password')
    expect(body.title).toBe(messages[0])
    expect(body.errors).toEqual(
      messages.map((message) => ({ field: 'password', code: expect.stringMatching(/^password_/), message })),
    )
  })
})

test.each(['Correct Horse_7', 'Straße+Wald9', 'Aa1€uro-free'])('%j is accepted', async (password) => {
  const app = await createTestApp()
  expect((await send(app, password)).statusCode).toBe(201)
})

// NIST SP 800-63B-4, section 3.1.1.2, advises against rules of composition.
test('the composition rules can be turned off and the minimum length raised', async () => {
  const app = await createTestApp({ PASSWORD_COMPOSITION: 'false', PASSWORD_MIN_LENGTH: '12' })
  const body = expectProblem(await send(app, 'elevenchars'), 'weak_password')
  expect(body.title).toBe('Password must be at least 12 characters')
  expect((await send(app, 'twelve chars')).statusCode).toBe(201)
})

test('the minimum length can be raised', async () => {
  const app = await createTestApp({ PASSWORD_MIN_LENGTH: '12' })
  const body = expectProblem(await send(app, 'Eleven-ch-1'), 'weak_password')
  expect(body.title).toBe('Password must be at least 12 characters')
})

describe('256 characters', () => {
  const longest = `Aa1-${'👍'.repeat(252)}`

  test('are the maximum length of a password, counted in code points', async () => {
    const app = await createTestApp()
    expectProblem(await send(app, `${longest}👍`), 'weak_password')
    expect((await send(app, longest)).statusCode).toBe(201)
  })

  test('are all significant', async () => {
    const app = await createTestApp()
    await register(app, 'alice', longest)
    await logIn(app, 'alice', longest)
    expectProblem(await tryLogIn(app, 'alice', `${longest}x`), 'invalid_credentials')
    expectProblem(await tryLogIn(app, 'alice', longest.slice(0, -2)), 'invalid_credentials')
  })
})
