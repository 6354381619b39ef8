import { expect, test } from 'vitest'
import { endAccess } from '../../src/accounts/end-access.ts'
import { changeUser, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { refresh, startSession, tokensIn } from '../support/flows.ts'
import { basic, check, introspect, introspectionClient } from '../support/gateway.ts'

async function withSession() {
  const { secret, setting } = await introspectionClient(await createTestApp())
  const app = await createTestApp({ INTROSPECTION_CLIENTS: setting })
  const { id } = await register(app)
  const { accessToken, refreshToken } = await startSession(app)
  const ask = async (token: string, hint?: string) =>
    (await introspect(app, { token, ...(hint && { token_type_hint: hint }) }, basic('orders', secret))).json()
  return { app, id, accessToken, refreshToken, ask }
}

const hint = 'refresh_token'

test('a refresh token is active only for those who ask for one', async () => {
  const { app, id, refreshToken, ask } = await withSession()
  expect(await ask(refreshToken, hint)).toEqual({
    active: true,
    sub: 'alice',
    username: 'alice',
    user_id: id,
    client_id: expect.any(String),
    token_type: 'refresh_token',
    iat: Math.floor(app.now() / 1000),
    exp: expect.any(Number),
  })
  // A service that takes the token of a request would otherwise let a stolen refresh token in for days.
  expect(await ask(refreshToken)).toEqual({ active: false })
  expect(await ask(refreshToken, 'access_token')).toEqual({ active: false })
  expect((await check(app, { authorization: `Bearer ${refreshToken}` })).statusCode).toBe(401)
})

test('an access token is found with any hint', async () => {
  const { accessToken, ask } = await withSession()
  expect(await ask(accessToken, hint)).toMatchObject({ active: true, token_type: 'bearer' })
})

test('a replaced token is not active, and asking about it ends no session', async () => {
  const { app, refreshToken, ask } = await withSession()
  const next = tokensIn(await refresh(app, refreshToken)).refreshToken
  app.clock.advance(60)
  expect(await ask(refreshToken, hint)).toEqual({ active: false })
  expect(await ask(next, hint)).toMatchObject({ active: true, iat: Math.floor(app.now() / 1000) - 60 })
  expect((await refresh(app, next)).statusCode).toBe(200)
})

test('a replaced token is not active either while it still returns its successor', async () => {
  const { app, refreshToken, ask } = await withSession()
  await refresh(app, refreshToken)
  expect(await ask(refreshToken, hint)).toEqual({ active: false })
})

test.each([
  ['made up', async () => 'x'],
  [
    'changed',
    async (_id: number, token: string) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
  ],
])('a token that is %s is not active', async (_case, change) => {
  const { id, refreshToken, ask } = await withSession()
  expect(await ask(await change(id, refreshToken), hint)).toEqual({ active: false })
})

test('the token of an ended session, an expired one, and one of an inactive user are not active', async () => {
  const { app, id, refreshToken, ask } = await withSession()
  await changeUser(app, id, { isActive: false })
  expect(await ask(refreshToken, hint)).toEqual({ active: false })
  await changeUser(app, id, { isActive: true })
  expect(await ask(refreshToken, hint)).toMatchObject({ active: true })
  const other = await startSession(app)
  app.clock.advance(31 * 24 * 60 * 60)
  expect(await ask(other.refreshToken, hint)).toEqual({ active: false })
  const last = await startSession(app)
  await app.db.transaction((tx) => endAccess(app.ctx, tx, id))
  expect(await ask(last.refreshToken, hint)).toEqual({ active: false })
})
