import { expect, test } from 'vitest'
import { logIn, putMe, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

async function loggedIn(env: Record<string, string>) {
  const app = await createTestApp(env)
  await register(app)
  return { app, token: await logIn(app) }
}

// Each change emails two addresses, and the response tells whether an address is registered.
test('attempts to change the email are limited per user and hour, whatever their outcome', async () => {
  const { app, token } = await loggedIn({ RATE_LIMIT_EMAIL_CHANGES: '4' })
  await register(app, 'bob')
  expect((await putMe(app, token, { email: 'one@example.com' })).statusCode).toBe(200)
  expectProblem(await putMe(app, token, { email: 'bob@example.com' }), 'already_registered')
  const wrong = { email: 'two@example.com', current_password: 'Wrong-Horse-7' }
  expectProblem(await putMe(app, token, wrong), 'wrong_current_password')
  app.clock.advance(11 * 60)
  expectProblem(await putMe(app, token, { email: 'two@example.com' }), 'reauthentication_required')

  const again = await logIn(app)
  const refused = await putMe(app, again, { email: 'bob@example.com' })
  expectProblem(refused, 'too_many_requests')
  expect(refused.headers['retry-after']).toBe(String(49 * 60))
  expect((await putMe(app, await logIn(app, 'bob'), { email: 'three@example.com' })).statusCode).toBe(200)
  app.clock.advance(49 * 60)
  expect((await putMe(app, await logIn(app), { email: 'two@example.com' })).statusCode).toBe(200)
})

test('concurrent attempts cannot exceed the limit', async () => {
  const { app, token } = await loggedIn({ RATE_LIMIT_EMAIL_CHANGES: '3' })
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, time) => putMe(app, token, { email: `new${time}@example.com` })),
  )
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3)
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(9)
})

test('an unchanged email costs nothing', async () => {
  const { app, token } = await loggedIn({ RATE_LIMIT_EMAIL_CHANGES: '1' })
  for (let time = 0; time < 3; time += 1)
    expect((await putMe(app, token, { email: 'ALICE@example.com' })).statusCode).toBe(200)
  expect((await putMe(app, token, { email: 'new@example.com' })).statusCode).toBe(200)
  expectProblem(await putMe(app, token, { email: 'third@example.com' }), 'too_many_requests')
})

test('RATE_LIMIT_ENABLED=false turns the limit off', async () => {
  const { app, token } = await loggedIn({ RATE_LIMIT_EMAIL_CHANGES: '1', RATE_LIMIT_ENABLED: 'false' })
  for (const email of ['one@example.com', 'two@example.com'])
    expect((await putMe(app, token, { email })).statusCode).toBe(200)
})
