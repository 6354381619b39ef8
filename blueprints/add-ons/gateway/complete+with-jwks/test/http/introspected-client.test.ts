import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { startSession } from '../support/flows.ts'
import { basic, introspect, introspectionClient } from '../support/gateway.ts'
import { createKeyApp } from '../support/keys.ts'

test('both tokens of a session have the client of the settings', async () => {
  const { secret, setting } = await introspectionClient(await createTestApp())
  const { app } = await createKeyApp('EdDSA', { JWT_CLIENT_ID: 'web', INTROSPECTION_CLIENTS: setting })
  const { accessToken, refreshToken } = await startSession(app)
  for (const [token, hint] of [
    [accessToken, 'access_token'],
    [refreshToken, 'refresh_token'],
  ] as const) {
    const answer = await introspect(app, { token, token_type_hint: hint }, basic('orders', secret))
    expect(answer.json()).toMatchObject({ active: true, client_id: 'web' })
  }
})
