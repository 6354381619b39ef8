import { expect, test } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { deleteMe } from '../support/account-data.ts'
import { changeUser, getMe, logIn, password, putMe, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

async function loggedIn() {
  const app = await createTestApp()
  const { id } = await register(app)
  return { app, id, token: await logIn(app) }
}

test('a user deletes their account', async () => {
  const { app, token } = await loggedIn()
  await register(app, 'bob')
  const response = await deleteMe(app, token)
  expect(response.statusCode).toBe(204)
  expect(response.body).toBe('')
  expectProblem(await getMe(app, token), 'invalid_token')
  expectProblem(await tryLogIn(app, 'alice', password), 'invalid_credentials')
  expect(await app.db.read.$count(users)).toBe(1)
  expect((await getMe(app, await logIn(app, 'bob'))).statusCode).toBe(200)
})

test('the address is free immediately, and the new user has another id', async () => {
  const { app, id, token } = await loggedIn()
  await deleteMe(app, token)
  const again = await register(app, 'alice2', password, 'alice@example.com')
  expect(again.id).toBeGreaterThan(id)
  expectProblem(await getMe(app, token), 'invalid_token')
  expect((await getMe(app, await logIn(app, 'alice@example.com'))).json()).toMatchObject({ id: again.id })
})

// Otherwise a stolen token, or an unlocked browser, would be enough.
test('the password is required, even right after the login', async () => {
  const { app, token } = await loggedIn()
  const refused = await deleteMe(app, token, {})
  expectProblem(refused, 'reauthentication_required')
  expect(refused.headers['www-authenticate']).toBe(
    'Bearer error="insufficient_user_authentication", max_age="600"',
  )
  expect((await getMe(app, token)).statusCode).toBe(200)
  expect((await deleteMe(app, token)).statusCode).toBe(204)
})

// A thief's fresh login without a password, such as by a provider, would otherwise be enough.
test('a user without a password sets one first, even right after the login', async () => {
  const { app, id, token } = await loggedIn()
  await changeUser(app, id, { hashedPassword: '!' })
  for (const body of [{}, { current_password: password }, { current_password: '!' }])
    expectProblem(await deleteMe(app, token, body), 'wrong_current_password')
  expect((await getMe(app, token)).statusCode).toBe(200)
})

test('a wrong password deletes nothing, even right after the login', async () => {
  const { app, token } = await loggedIn()
  expectProblem(await deleteMe(app, token, { current_password: 'Wrong-Horse-7' }), 'wrong_current_password')
  expect((await getMe(app, token)).statusCode).toBe(200)
})

test('unknown fields are refused', async () => {
  const { app, token } = await loggedIn()
  expectProblem(await deleteMe(app, token, { user_id: 1 }), 'validation_failed')
  expectProblem(await deleteMe(app, token, { current_password: null }), 'validation_failed')
})

test('a new address is free too', async () => {
  const { app, token } = await loggedIn()
  await putMe(app, token, { email: 'bob@example.com' })
  await deleteMe(app, token)
  await register(app, 'carol', password, 'alice@example.com')
  await register(app, 'bob')
})
