import { expect, test } from 'vitest'
import { bearer, getMe, logIn, register } from '../support/accounts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'made/up', 'invalid']

interface Operation {
  requestBody?: { required?: boolean; content: Record<string, { schema: { required?: string[] } }> }
}

/** The routes that may have a body, as `POST /path`, and whether they require one. */
async function routesOf(app: TestApp) {
  const { paths } = (await app.inject({ url: '/openapi.json' })).json<{
    paths: Record<string, Record<string, Operation>>
  }>()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, { requestBody }]) => ({ method: method.toUpperCase() as 'POST', path, requestBody })),
  )
}

let sent = 0

/** Sends an empty body as a new user: the request before may have ended every session. */
async function sendEmpty(app: TestApp, { method, path }: { method: 'POST'; path: string }, type?: string) {
  sent += 1
  const name = `user${sent}`
  const { id } = await register(app, name)
  const token = await logIn(app, name)
  const url = path.replace(/\{\w+\}/g, String(id))
  const headers = { ...bearer(token), ...(type !== undefined && { 'content-type': type }) }
  return { response: await app.inject({ method, url, headers, payload: '' }), token }
}

test('a body that may be empty may be absent', async () => {
  const routes = await routesOf(await createTestApp())
  const lenient = routes.filter(({ requestBody }) =>
    Object.values(requestBody?.content ?? {}).some(
      ({ schema }) => requestBody?.required && !('anyOf' in schema) && !schema.required?.length,
    ),
  )
  expect(lenient, 'add .nullish() to the schema of the body').toEqual([])
})

// Clients that name a type in every request would otherwise not log out, and operators not block a user.
test('every route without a required body takes an empty one, whatever its type', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const routes = await routesOf(app)
  expect(routes.length).toBeGreaterThan(2)
  for (const route of routes) {
    const { statusCode, body } = (await sendEmpty(app, route)).response
    // A user with a password has to send it to delete their account. What has to be confirmed may be a 400 of its own.
    const others = [200, 202, 204, 403, 404, 409, ...(body.includes('"bad_request"') ? [] : [400])]
    const expected = route.requestBody?.required ? [400, 401] : others
    expect(expected, `${route.method} ${route.path}`).toContain(statusCode)
    for (const type of types) {
      const { response } = await sendEmpty(app, route, type)
      expect(response.statusCode, `${route.method} ${route.path} of ${type}`).toBe(statusCode)
    }
  }
})

test('a logout with an empty body of any type revokes the token', async () => {
  const app = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const paths = (await routesOf(app)).filter(({ path }) => /\/logout(-all)?$/.test(path))
  for (const route of paths)
    for (const type of types) {
      const { response, token } = await sendEmpty(app, route, type)
      expect(response.statusCode, `${route.path} of ${type}`).toBe(204)
      expect((await getMe(app, token)).statusCode).toBe(401)
    }
})
