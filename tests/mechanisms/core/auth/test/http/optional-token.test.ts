import { expect, test } from 'vitest'
import { bearer, logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

test('a route with optional authentication is described as such, and serves everyone', async () => {
  const app = await createTestApp()
  app.get(
    '/hello',
    { onRequest: app.loadUser, schema: { security: [{}, { bearer: [] }] } },
    async (request) => ({
      name: request.optionalUser?.username ?? null,
    }),
  )
  const document = (await app.inject({ url: '/openapi.json' })).json()
  expect(document.paths['/hello'].get.security).toEqual([{}, { bearer: [] }])

  await register(app)
  for (const [headers, name] of [
    [{}, null],
    [bearer('made-up'), null],
    [bearer(await logIn(app)), 'alice'],
  ] as const)
    expect((await app.inject({ url: '/hello', headers })).json()).toEqual({ name })
})
