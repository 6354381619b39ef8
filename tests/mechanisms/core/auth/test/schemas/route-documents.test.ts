import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { urlNumber } from '../../src/schemas/text.ts'
import { createTestApp } from '../support/app.ts'

const response = { 200: z.object({ ok: z.boolean() }) }
const send = async () => ({ ok: true })

/** Routes of an owner. None says a word about tokens. */
const routes: FastifyPluginAsyncZod = async (app) => {
  const onRequest = [app.requireUser, app.requireRecentLogin, app.userLimit('things', 3)]
  const params = z.strictObject({ id: urlNumber() })
  app.put('/api/v1/things/:id', { onRequest, schema: { params, response, problems: ['not_found'] } }, send)
  app.post('/api/v1/things', { onRequest: app.limitRequests, schema: { body: params, response } }, send)
  const own = { ...response, 418: z.object({ teapot: z.boolean() }) }
  app.get('/api/v1/things', { onRequest: app.requireUser, schema: { response: own } }, send)
}

test('a route documents its folder, and what its guards and its input answer', async () => {
  const app = await createTestApp({}, false, { plugins: [routes] })
  const { paths } = (await app.inject({ url: '/openapi.json' })).json()
  const documented = (path: string, method: string) => {
    const { tags, security, responses } = paths[path][method]
    return { tags, security, statuses: Object.keys(responses).map(Number) }
  }
  const tags = ['things']
  expect(documented('/api/v1/things/{id}', 'put')).toEqual({
    tags,
    security: [{ bearer: [] }],
    statuses: [200, 400, 401, 403, 404, 422, 429, 503],
  })
  expect(documented('/api/v1/things', 'post')).toEqual({
    tags,
    security: [],
    statuses: [200, 400, 413, 415, 422, 429, 503],
  })
  // One that lists error responses itself keeps them.
  expect(documented('/api/v1/things', 'get').statuses).toEqual([200, 418])
})
