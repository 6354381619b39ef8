import { expect, test } from 'vitest'
import { bearer } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { takeApart } from '../support/forge.ts'
import { basic, check, introspect, introspectionClient } from '../support/gateway.ts'
import { clients, clientToken, createClient } from '../support/service-clients.ts'

async function withBoth() {
  const { secret, setting } = await introspectionClient(await createTestApp())
  const app = await createTestApp({ INTROSPECTION_CLIENTS: setting })
  const clientSecret = await createClient(app)
  const token = await clientToken(app, clientSecret)
  const ask = async (text: string) => (await introspect(app, { token: text }, basic('orders', secret))).json()
  return { app, clientSecret, token, ask }
}

test('the token of a service client is active, names no user, and ends with the client', async () => {
  const { app, token, ask } = await withBoth()
  const { iat, exp } = takeApart(token).payload
  expect(await ask(token)).toEqual({
    active: true,
    sub: 'orders',
    client_id: 'orders',
    scope: 'orders:read orders:write',
    token_type: 'bearer',
    iat,
    exp,
  })
  await clients(app, 'revoke', 'orders')
  expect(await ask(token)).toEqual({ active: false })
})

test('a proxy lets no service client in: its headers name users', async () => {
  const { app, token } = await withBoth()
  expect((await check(app, bearer(token))).statusCode).toBe(401)
})

test('a service client with the name of an introspection client may not ask', async () => {
  const { app, clientSecret, token } = await withBoth()
  expect((await introspect(app, { token }, basic('orders', clientSecret))).statusCode).toBe(401)
})
