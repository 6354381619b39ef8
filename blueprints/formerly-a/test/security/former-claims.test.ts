import { expect, test } from 'vitest'
import { getMe } from '../support/accounts.ts'
import { formerToken, switchedApp } from '../support/former-tokens.ts'
import { expectProblem } from '../support/problem.ts'

// Signed with the right secret, but for another audience, or a mixture of both profiles: must be refused.
test.each([
  { iss: 'another' },
  { aud: 'another' },
  { aud: null },
  { token_type: 'access' },
  { sub: 'alice' },
  { username: undefined },
  { username: 'bob' },
])('a token of profile A with %j is refused', async (change) => {
  const { app } = await switchedApp()
  expectProblem(await getMe(app, await formerToken(app, change)), 'invalid_token')
})

test('a token for another audience is not accepted as one without an audience', async () => {
  const { app, id } = await switchedApp()
  const own = { sub: 'alice', username: 'alice', user_id: id, token_type: 'access' }
  const { issuer } = app.config.accessTokens
  const foreign = await formerToken(app, { ...own, iss: issuer, aud: 'shop' })
  expectProblem(await getMe(app, foreign), 'invalid_token')
  expect((await getMe(app, await formerToken(app))).statusCode).toBe(200)
})
