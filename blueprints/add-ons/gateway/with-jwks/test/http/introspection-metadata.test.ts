import { expect, test } from 'vitest'
import { createKeyApp } from '../support/keys.ts'

test('the metadata of the server says where services ask about a token', async () => {
  const { app } = await createKeyApp()
  const { introspection_endpoint: endpoint, ...others } = (
    await app.inject({ url: '/.well-known/oauth-authorization-server' })
  ).json()
  expect(others).toMatchObject({ introspection_endpoint_auth_methods_supported: ['client_secret_basic'] })
  expect(app.hasRoute({ method: 'POST', url: new URL(endpoint).pathname })).toBe(true)
})
