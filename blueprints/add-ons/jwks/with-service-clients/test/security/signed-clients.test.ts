import { expect, test } from 'vitest'
import { getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { sign, takeApart } from '../support/forge.ts'
import { addKey, keySettings, ownName, privateKeyOf, signWithKey } from '../support/keys.ts'
import { expectProblem } from '../support/problem.ts'
import { addOrders, clients, clientToken, createClient } from '../support/service-clients.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function withKey(env = {}) {
  const folder = await temporaryFolder()
  const kid = addKey(folder, 1)
  const app = await createTestApp({ ...keySettings(folder), ...env })
  const getOrders = addOrders(app)
  const token = await clientToken(app, await createClient(app))
  return { app, kid, getOrders, token, key: await privateKeyOf(folder, kid) }
}

test("a client's token is signed with the key, for other services, and ends here with the client", async () => {
  const { app, kid, getOrders, token } = await withKey()
  const { header, payload } = takeApart(token)
  expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid })
  expect(payload).toMatchObject({ sub: 'orders', client_id: 'orders', aud: ownName, iss: ownName })
  expect(payload).not.toHaveProperty('user_id')
  expect((await getOrders(token)).json()).toEqual({ for: 'orders' })
  expectProblem(await getMe(app, token), 'invalid_token')
  await clients(app, 'revoke', 'orders')
  expectProblem(await getOrders(token), 'invalid_token')
})

// The `client_id` of a user's token is that of the front end, so here both claims of a client are the same.
test('a user with the name of the front end is no client', async () => {
  const { app, getOrders } = await withKey({ JWT_CLIENT_ID: 'web-app' })
  await register(app, 'web-app')
  const token = await logIn(app, 'web-app')
  expect(takeApart(token).payload).toMatchObject({ sub: 'web-app', client_id: 'web-app' })
  expectProblem(await getOrders(token), 'invalid_token')
})

test("a client's token of another audience, or signed with the secret, is refused", async () => {
  const { app, getOrders, token, key } = await withKey()
  const { header, payload } = takeApart(token)
  expect((await getOrders(signWithKey(header, payload, key))).statusCode).toBe(200)
  expectProblem(await getOrders(signWithKey(header, { ...payload, aud: 'other' }, key)), 'invalid_token')
  const { secret } = app.config.accessTokens
  expectProblem(await getOrders(sign(header, payload, secret)), 'invalid_token')
  expectProblem(await getOrders(sign({ alg: 'HS256', typ: 'at+jwt' }, payload, secret)), 'invalid_token')
})
