import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../support/accounts.ts'
import { shareTestApp } from '../support/app.ts'
import { sign, takeApart } from '../support/forge.ts'
import { expectProblem } from '../support/problem.ts'

// All signatures are valid: the same secret may sign tokens for other services.
const app = await shareTestApp()
const { secret } = app.config.accessTokens
await register(app)
const { header, payload } = takeApart(await logIn(app))

test.each([
  ['iss', 'https://other.example.com'],
  ['iss', ''],
  ['iss', null],
  ['aud', 'other-service'],
  ['aud', ['other-service']],
  ['aud', []],
])('a token with %s %j is refused', async (claim, value) => {
  expectProblem(await getMe(app, sign(header, { ...payload, [claim]: value }, secret)), 'invalid_token')
})

test('the same token unchanged is accepted', async () => {
  expect((await getMe(app, sign(header, payload, secret))).statusCode).toBe(200)
})
