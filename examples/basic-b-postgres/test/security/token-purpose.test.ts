import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../accounts.ts'
import { shareTestApp } from '../app.ts'
import { expectProblem } from '../problem.ts'
import { sign, takeApart } from './forge.ts'

// The signature is right in all of them: the same secret may sign for other services and other purposes.
const app = await shareTestApp()
const { secret, issuer, audience } = app.config.accessTokens
await register(app)
const { header, payload } = takeApart(await logIn(app))

test.each([
  ['iss', 'https://other.example.com'],
  ['iss', `${issuer}/`],
  ['iss', issuer.toUpperCase()],
  ['iss', [issuer]],
  ['iss', ''],
  ['iss', undefined],
  ['aud', 'other-service'],
  ['aud', [audience, 'other-service']],
  ['aud', [audience]],
  ['aud', ''],
  ['aud', undefined],
  ['token_type', 'refresh'],
  ['token_type', 'Access'],
  ['token_type', ['access']],
  ['token_type', true],
  ['token_type', undefined],
])('a token with %s %j opens nothing here', async (claim, value) => {
  expectProblem(await getMe(app, sign(header, { ...payload, [claim]: value }, secret)), 'invalid_token')
})

test('the same token unchanged does', async () => {
  expect((await getMe(app, sign(header, payload, secret))).statusCode).toBe(200)
})
