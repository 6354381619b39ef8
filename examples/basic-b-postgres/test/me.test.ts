import { expect, test } from 'vitest'
import { getMe, logIn, register } from './accounts.ts'
import { createTestApp } from './app.ts'
import { expectProblem } from './problem.ts'

test('a user sees himself, as registration showed him', async () => {
  const app = await createTestApp()
  const registered = await register(app)
  await register(app, 'bob')
  const response = await getMe(app, await logIn(app))
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual(registered)
})

test('without a token there is nothing to see', async () => {
  const app = await createTestApp()
  const response = await getMe(app)
  expectProblem(response, 'not_authenticated')
  expect(response.headers['www-authenticate']).toBe('Bearer')
})

test('with a bad token neither, and the challenge says so', async () => {
  const app = await createTestApp()
  const response = await getMe(app, 'not-a-token')
  expectProblem(response, 'invalid_token')
  expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
})
