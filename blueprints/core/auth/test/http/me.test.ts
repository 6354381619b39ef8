import { expect, test } from 'vitest'
import { bearer, getMe, logIn, register } from '../support/accounts.ts'
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

test('HEAD answers like GET, without a body, and is documented', async () => {
  const app = await createTestApp()
  await register(app)
  const url = '/api/v1/users/me'
  const headers = bearer(await logIn(app))
  const [get, head] = [await app.inject({ url, headers }), await app.inject({ method: 'HEAD', url, headers })]
  expect([head.statusCode, head.body]).toEqual([200, ''])
  expect(head.headers['content-length']).toBe(get.headers['content-length'])
  expect((await app.inject({ method: 'HEAD', url })).statusCode).toBe(401)
  const { paths } = (await app.inject({ url: '/openapi.json' })).json()
  expect(Object.keys(paths[url])).toContain('head')
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
