import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

test('the response is the user, as at registration', async () => {
  const app = await createTestApp()
  const registered = await register(app)
  await register(app, 'bob')
  const response = await getMe(app, await logIn(app))
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual(registered)
})

test('without a token the request is refused', async () => {
  const app = await createTestApp()
  const response = await getMe(app)
  expectProblem(response, 'not_authenticated')
  expect(response.headers['www-authenticate']).toBe('Bearer')
})

test('with a bad token the request is refused, and the challenge says why', async () => {
  const app = await createTestApp()
  const response = await getMe(app, 'not-a-token')
  expectProblem(response, 'invalid_token')
  expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
})
