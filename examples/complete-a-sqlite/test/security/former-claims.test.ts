import { expect, test } from 'vitest'
import { getMe } from '../accounts.ts'
import { formerToken, switchedApp } from '../former-tokens.ts'
import { expectProblem } from '../problem.ts'

// Signed with our secret, but for somebody else, or half a token of either profile: neither profile's rules may take it.
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

test('issuer and audience of former tokens are settings', async () => {
  const { app } = await switchedApp({ JWT_ISSUER: 'https://auth.example.com', JWT_AUDIENCE: 'shop' })
  const token = await formerToken(app, { iss: 'https://auth.example.com', aud: 'shop' })
  expect((await getMe(app, token)).statusCode).toBe(200)
  expectProblem(await getMe(app, await formerToken(app, { aud: 'another' })), 'invalid_token')
})
