import { expect, test } from 'vitest'
import { createKeyApp } from '../support/keys.ts'

test('the metadata of the server says where service clients get tokens', async () => {
  const { app } = await createKeyApp()
  const { token_endpoint: endpoint, ...others } = (
    await app.inject({ url: '/.well-known/oauth-authorization-server' })
  ).json()
  expect(others).toMatchObject({
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
  })
  expect(endpoint).toBe(`${app.config.server.frontendUrl}/api/v1/auth/token`)
  expect(app.hasRoute({ method: 'POST', url: new URL(endpoint).pathname })).toBe(true)
})
