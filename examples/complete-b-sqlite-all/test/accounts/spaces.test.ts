import { expect, test } from 'vitest'
import { password, putMe, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const send = (app: TestApp, path: string, body: object) =>
  app.inject({ method: 'POST', url: `/api/v1/auth/${path}`, body })

test('spaces before and after a name are not stored', async () => {
  const app = await createTestApp()
  const names = { username: '  alice ', email: ' Alice@Example.com  ' }
  const response = await send(app, 'register', { ...names, password })
  expect(response.json()).toMatchObject({ username: 'alice', email: 'alice@example.com' })
})

test('a name with spaces belongs to the same user as without', async () => {
  const app = await createTestApp()
  await register(app)
  const taken = [
    { username: ' alice ', email: 'new@example.com' },
    { username: 'new', email: ' alice@example.com ' },
  ]
  for (const names of taken)
    expectProblem(await send(app, 'register', { ...names, password }), 'already_registered')
  for (const name of [
    { username: ' alice ' },
    { username: ' alice@example.com' },
    { email: 'alice@example.com ' },
  ])
    expect((await send(app, 'login', { ...name, password })).statusCode).toBe(200)
})

test('a change of the email ignores spaces', async () => {
  const app = await createTestApp()
  await register(app)
  const token = (await tryLogIn(app, 'alice', password)).json().access_token
  expect((await putMe(app, token, { email: ' alice@example.com ' })).json()).toMatchObject({
    email: 'alice@example.com',
  })
  expect((await tryLogIn(app, ' alice@example.com ', password)).statusCode).toBe(200)
})

test('spaces in a password are part of it', async () => {
  const app = await createTestApp()
  await register(app)
  expectProblem(await tryLogIn(app, 'alice', ` ${password}`), 'invalid_credentials')
})

test('guesses for a name with spaces count for the name', async () => {
  const app = await createTestApp()
  await register(app)
  for (let spaces = 0; spaces < 5; spaces++)
    expectProblem(await tryLogIn(app, `${' '.repeat(spaces)}alice`, 'Wrong-Horse-7'), 'invalid_credentials')
  expectProblem(await tryLogIn(app, 'alice ', password), 'too_many_requests')
})
