import { expect, test } from 'vitest'
import { changeUser, getMe, putMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { confirmLogin, requestLogin } from '../support/email-login.ts'
import { post, refresh, registerVerified, tokensIn } from '../support/flows.ts'
import { emailsTo } from '../support/mailbox.ts'
import { expectProblem } from '../support/problem.ts'

test('an emailed token logs in, once', async () => {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  const token = await requestLogin(app)
  const { accessToken, refreshToken } = tokensIn(await confirmLogin(app, token))
  expect((await getMe(app, accessToken)).json().id).toBe(id)
  expect((await refresh(app, refreshToken)).statusCode).toBe(200)
  expectProblem(await confirmLogin(app, token), 'invalid_or_expired_token')
})

test('the email says "log in", and has a link to the page', async () => {
  const app = await createTestApp({ FRONTEND_URL: 'https://app.example.com' })
  await registerVerified(app)
  const token = await requestLogin(app)
  const [email] = (await emailsTo(app)).slice(-1)
  expect(email?.subject).toMatch(/log in/i)
  expect(email?.variables.login_url).toBe(`https://app.example.com/email-login#token=${token}`)
})

test('a token is valid for 10 minutes, and until the next email', async () => {
  const app = await createTestApp()
  await registerVerified(app)
  const first = await requestLogin(app)
  app.clock.advance(10 * 60 - 1)
  expect((await confirmLogin(app, first)).statusCode).toBe(200)
  const late = await requestLogin(app)
  app.clock.advance(10 * 60)
  expectProblem(await confirmLogin(app, late), 'invalid_or_expired_token')
  const replaced = await requestLogin(app)
  app.clock.advance(60)
  const newest = await requestLogin(app)
  expectProblem(await confirmLogin(app, replaced), 'invalid_or_expired_token')
  expect((await confirmLogin(app, newest)).statusCode).toBe(200)
})

test('the first one verifies the address, and nothing else has to be confirmed', async () => {
  const app = await createTestApp({ LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' })
  await register(app)
  const { accessToken } = tokensIn(await confirmLogin(app, await requestLogin(app)))
  expect((await getMe(app, accessToken)).json().is_verified).toBe(true)
})

test('a user without a password logs in, and it is a recent login for what needs one', async () => {
  const app = await createTestApp()
  const { id } = await registerVerified(app)
  await changeUser(app, id, { hashedPassword: '!' })
  const { accessToken } = tokensIn(await confirmLogin(app, await requestLogin(app)))
  expect((await putMe(app, accessToken, { email: 'new@example.com' })).statusCode).toBe(200)
  app.clock.advance(11 * 60)
  expectProblem(await putMe(app, accessToken, { email: 'other@example.com' }), 'reauthentication_required')
})

test('the body of the confirmation is the token alone', async () => {
  const app = await createTestApp()
  expect((await post(app, 'email-login/confirm', { token: 'x', email: 'a@example.com' })).statusCode).toBe(
    422,
  )
})
