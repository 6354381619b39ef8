import { Readable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ApiError, type ProblemName } from '../../src/errors/api-error.ts'
import { text } from '../../src/schemas/text.ts'
import { shareTestApp } from '../support/app.ts'
import { openConnection } from '../support/connection.ts'
import { expectProblem } from '../support/problem.ts'

const app = await shareTestApp()

beforeAll(async () => {
  const body = z.strictObject({ title: text().max(5), count: z.int() })
  app.post('/things', { schema: { body } }, async (request) => request.body)
  app.get('/things/:id', async () => {
    throw new ApiError('not_found')
  })
  app.post('/end', async (request) => ({ body: request.body ?? 'none' }))
  app.delete('/end', { schema: { body: body.nullish() } }, async () => ({ body: 'none' }))
  await app.listen({ host: '127.0.0.1', port: 0 })
})

const post = (body: InjectOptions['payload'], type = 'application/json') =>
  app.inject({ method: 'POST', url: '/things', headers: { 'content-type': type }, payload: body })

const chunked = { headers: { 'transfer-encoding': 'chunked' }, payload: Readable.from(['{}']) }
const plainText = { headers: { 'content-type': 'text/plain' }, payload: 'text' }

/** Sends a request as clients may write it, which `inject` does not. */
async function send(route: string, headers: string, chunks?: string) {
  const client = await openConnection(app)
  const framing = chunks === undefined ? '' : 'Transfer-Encoding: chunked\r\n'
  const body = chunks === undefined ? '' : `${chunks}0\r\n\r\n`
  client.send(`${route} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}${framing}\r\n${body}`)
  const [head = '', text = ''] = (await client.end()).split('\r\n\r\n')
  return { head, text }
}

const types = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'a/b',
  'json',
  '',
  ';',
  '/',
]

// Otherwise a logout is refused, and the session lives on.
test.each(
  [undefined, ...types.map((type) => `Content-Type: ${type}\r\n`)].flatMap((header = '') => [
    ['no length', header, undefined],
    ['length 0', `${header}Content-Length: 0\r\n`, undefined],
    ['no chunks', header, ''],
  ]),
)('a route without a required body takes an empty one: %s, %j', async (_length, headers = '', chunks) => {
  for (const route of ['POST /end', 'DELETE /end']) {
    const { head, text } = await send(route, headers, chunks)
    expect([head.split('\r\n', 1)[0], text], route).toEqual(['HTTP/1.1 200 OK', '{"body":"none"}'])
  }
})

test.each<[string, ProblemName, () => ReturnType<typeof post>]>([
  ['an unknown path', 'not_found', () => app.inject({ url: '/nowhere?secret=1' })],
  ['an unknown method', 'not_found', () => app.inject({ method: 'DELETE', url: '/things' })],
  ['an error that a route throws', 'not_found', () => app.inject({ url: '/things/7' })],
  ['a URL that cannot be decoded', 'bad_request', () => app.inject({ url: '/things/%zz' })],
  [
    'a path segment longer than 200 characters',
    'uri_too_long',
    () => app.inject({ url: `/things/${'1'.repeat(201)}` }),
  ],
  ['broken JSON', 'bad_request', () => post('{"title":')],
  ['an empty body', 'bad_request', () => post('')],
  ['no body at all', 'bad_request', () => app.inject({ method: 'POST', url: '/things' })],
  ['an empty form', 'bad_request', () => post('', 'application/x-www-form-urlencoded')],
  ['an empty body of an invalid type', 'bad_request', () => post('', 'json')],
  ['a body of an invalid type', 'unsupported_media_type', () => post('{"title":"a","count":1}', 'json')],
  [
    'a body without a type',
    'unsupported_media_type',
    () => app.inject({ method: 'POST', url: '/things', ...chunked }),
  ],
  ['a text for an unknown path', 'not_found', () => app.inject({ method: 'POST', url: '/no', ...plainText })],
  ['a body that sets __proto__', 'bad_request', () => post('{"__proto__":{"count":1}}')],
  [
    'a body of another media type',
    'unsupported_media_type',
    () => post('title=a', 'application/x-www-form-urlencoded'),
  ],
  ['JSON sent as text/plain', 'unsupported_media_type', () => post('{"title":"a","count":1}', 'text/plain')],
])('%s returns %s', async (_case, name, send) => {
  const response = await send()
  const body = expectProblem(response, name)
  expect(body.errors).toBeUndefined()
})

describe('an invalid body', () => {
  test('returns every failed rule, but no submitted value', async () => {
    const response = await post({ title: 'sent-by-client', count: 'seven', sent_by_client: 1 })
    const body = expectProblem(response, 'validation_failed')
    expect(body.errors).toEqual([
      { field: 'title', code: 'too_big', message: expect.any(String) },
      { field: 'count', code: 'invalid_type', message: expect.any(String) },
      { field: '', code: 'unknown_field', message: 'Unknown field' },
    ])
    expect(response.body).not.toMatch(/sent.by.client|seven/)
  })

  test.each([['a\u0000b'], ['a\r\nb'], ['a\u007fb'], ['a\u0085b'], ['\ud800']])(
    'is rejected if it contains %j',
    async (title) => {
      const response = await post(JSON.stringify({ title, count: 1 }))
      const body = expectProblem(response, 'validation_failed')
      expect(body.errors).toEqual([
        { field: 'title', code: 'invalid_characters', message: expect.any(String) },
      ])
    },
  )

  test.each([[null], [[]], ['text'], [1]])('is rejected if it is not an object: %j', async (body) => {
    expectProblem(await post(JSON.stringify(body)), 'validation_failed')
  })
})

test('TRACE is not supported: it would send headers back', async () => {
  const response = await app.inject({ method: 'TRACE', url: '/health/live', headers: { 'x-secret': '4711' } })
  expectProblem(response, 'not_found')
  expect(response.body).not.toContain('4711')
})

test('the path in an error does not include the query', async () => {
  const response = await app.inject({ url: '/nowhere?token=hidden' })
  expect(response.json().instance).toBe('/nowhere')
  expect(response.body).not.toContain('hidden')
})

test('HEAD returns the status of GET, without the body', async () => {
  const live = await app.inject({ method: 'HEAD', url: '/health/live' })
  expect([live.statusCode, live.body]).toEqual([200, ''])
  const nowhere = await app.inject({ method: 'HEAD', url: '/nowhere' })
  expect([nowhere.statusCode, nowhere.body]).toEqual([404, ''])
})
