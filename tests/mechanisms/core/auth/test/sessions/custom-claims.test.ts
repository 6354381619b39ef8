import { expect, test } from 'vitest'
import { createAccessTokens } from '../../src/sessions/access-tokens.ts'
import { readUser, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const withClaims = (app: TestApp, claims: Record<string, () => unknown>) =>
  createAccessTokens(app.config.accessTokens, app.now, claims)

test('an access token has the claims of your own, and the service accepts it', async () => {
  const app = await createTestApp()
  const { id } = await register(app)
  const tokens = withClaims(app, { role: () => 'editor', groups: () => ['a', 'b'] })
  const { userId, payload } = tokens.verify(tokens.issue(await readUser(app, id)))
  expect(userId).toBe(id)
  expect(payload).toMatchObject({ role: 'editor', groups: ['a', 'b'] })
})

const reserved = 'iss sub aud exp nbf iat jti user_id username token_type sid client_id scope amr'.split(' ')

// A claim of this name could turn a token into one of another user, session or service.
test.each(reserved)('the name %s stops the start', async (name) => {
  const app = await createTestApp()
  expect(() => withClaims(app, { [name]: () => 'x' })).toThrow(
    `src/sessions/custom-claims.ts: "${name}" is reserved, choose another name`,
  )
})
