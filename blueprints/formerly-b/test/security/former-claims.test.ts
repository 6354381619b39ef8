import { expect, test } from 'vitest'
import { getMe } from '../support/accounts.ts'
import { formerToken, switchedApp } from '../support/former-tokens.ts'
import { expectProblem } from '../support/problem.ts'

// Signed with the right secret, but for another audience, or a mixture of both profiles: must be refused.
test.each([
  { iss: 'another' },
  { aud: 'another' },
  { aud: undefined },
  { aud: ['my-api'] },
  { token_type: 'refresh' },
  { token_type: undefined },
  { sub: undefined },
  { sub: 'bob' },
  { username: ['alice'] },
])('a token of profile B with %j is refused', async (change) => {
  const { app } = await switchedApp()
  expectProblem(await getMe(app, await formerToken(app, change)), 'invalid_token')
})

test('issuer and audience of former tokens are configurable', async () => {
  const { app } = await switchedApp({ JWT_ISSUER: 'https://auth.example.com', JWT_AUDIENCE: 'shop' })
  const token = await formerToken(app, { iss: 'https://auth.example.com', aud: 'shop' })
  expect((await getMe(app, token)).statusCode).toBe(200)
  expectProblem(await getMe(app, await formerToken(app, { aud: 'another' })), 'invalid_token')
})
