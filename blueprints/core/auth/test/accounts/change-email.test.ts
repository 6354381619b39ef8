import { describe, expect, test } from 'vitest'
import { getMe, logIn, password, putMe, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { changeEmail } from '../support/change-email.ts'
import { expectProblem } from '../support/problem.ts'

async function loggedIn() {
  const app = await createTestApp()
  const alice = await register(app)
  return { app, alice, token: await logIn(app) }
}

test('the new email is stored normalized and can be used to log in', async () => {
  const { app, alice, token } = await loggedIn()
  expect((await changeEmail(app, token, 'New@Example.com')).statusCode).toBe(200)
  expect((await getMe(app, token)).json()).toMatchObject({ id: alice.id, email: 'new@example.com' })
  expect((await tryLogIn(app, 'new@example.com', password)).statusCode).toBe(200)
  expectProblem(await tryLogIn(app, 'alice@example.com', password), 'invalid_credentials')
})

test('the same email changes nothing', async () => {
  const { app, alice, token } = await loggedIn()
  app.clock.advance(20 * 60)
  const response = await putMe(app, token, { email: 'ALICE@example.com' })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual(alice)
})

test("another user's email is refused", async () => {
  const { app, alice, token } = await loggedIn()
  await register(app, 'bob')
  expectProblem(await putMe(app, token, { email: 'BOB@example.com' }), 'already_registered')
  expect((await getMe(app, token)).json()).toEqual(alice)
})

test.each([
  ['no email at all', {}],
  ['a text that is not an email', { email: 'alice' }],
  ['another field', { email: 'new@example.com', username: 'mallory' }],
])('%s is refused', async (_case, body) => {
  const { app, token } = await loggedIn()
  expectProblem(await putMe(app, token, body), 'validation_failed')
})

test('without a token the body is not checked', async () => {
  const { app } = await loggedIn()
  const response = await app.inject({ method: 'PUT', url: '/api/v1/users/me', body: { email: 'alice' } })
  expectProblem(response, 'not_authenticated')
})

describe('an access token alone changes the email only shortly after the login', () => {
  test('within 10 minutes after the login the token is enough', async () => {
    const { app, token } = await loggedIn()
    app.clock.advance(10 * 60 - 1)
    expect((await putMe(app, token, { email: 'new@example.com' })).statusCode).toBe(200)
  })

  test('later the password is required', async () => {
    const { app, alice, token } = await loggedIn()
    app.clock.advance(10 * 60 + 1)
    const email = 'new@example.com'
    expectProblem(await putMe(app, token, { email }), 'reauthentication_required')
    expectProblem(
      await putMe(app, token, { email, current_password: 'Wrong-Horse-7' }),
      'wrong_current_password',
    )
    expect((await getMe(app, token)).json()).toEqual(alice)
    expect((await putMe(app, token, { email, current_password: password })).statusCode).toBe(200)
  })

  test('a wrong password is refused even right after the login', async () => {
    const { app, token } = await loggedIn()
    const response = await putMe(app, token, { email: 'new@example.com', current_password: 'Wrong-Horse-7' })
    expectProblem(response, 'wrong_current_password')
    expect(response.headers).not.toHaveProperty('www-authenticate')
  })

  test('wrong passwords here and at login share one limit', async () => {
    const { app, token } = await loggedIn()
    const guess = (current_password: string) =>
      putMe(app, token, { email: 'new@example.com', current_password })
    for (let time = 0; time < 3; time += 1)
      expectProblem(await guess('Wrong-Horse-7'), 'wrong_current_password')
    const wrongLogin = () =>
      app.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        body: { username: 'alice', password: 'Wrong-Horse-7' },
      })
    for (let time = 0; time < 2; time += 1) expectProblem(await wrongLogin(), 'invalid_credentials')
    expectProblem(await guess(password), 'too_many_requests')
    expectProblem(await wrongLogin(), 'too_many_requests')
  })
})
