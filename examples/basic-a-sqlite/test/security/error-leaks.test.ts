import { inspect } from 'node:util'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { migrationError } from '../../src/db/applied.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const detail = 'SELECT hashed_password at /srv/app/secret.ts'

test.each<[string, () => unknown]>([
  ['an error', () => new Error(detail)],
  ['an error with a cause', () => new Error('outer', { cause: new Error(detail) })],
  ['an error with a status', () => Object.assign(new Error(detail), { statusCode: 503 })],
  ['a text', () => detail],
  ['an object', () => ({ message: detail, stack: detail })],
])('the client sees no details of %s that a route throws', async (_case, make) => {
  const app = await createTestApp()
  app.get('/broken', async () => {
    throw make()
  })
  const response = await app.inject({ url: '/broken' })
  expectProblem(response, 'internal_error')
  expect(response.body).not.toMatch(/SELECT|secret|outer|\.ts/)
})

test('an error of a dependency can set the status, but its message is not sent', async () => {
  const app = await createTestApp()
  app.get('/refused', async () => {
    throw Object.assign(new Error(detail), { statusCode: 400 })
  })
  const response = await app.inject({ url: '/refused' })
  expectProblem(response, 'bad_request')
  expect(response.body).not.toContain('SELECT')
})

test('a response that does not match its schema is not sent', async () => {
  const app = await createTestApp()
  const schema = { response: { 200: z.strictObject({ id: z.int() }) } }
  app.get('/row', { schema }, async () => ({ id: 1, hashed_password: 'secret' }))
  const response = await app.inject({ url: '/row' })
  expectProblem(response, 'internal_error')
  expect(response.body).not.toMatch(/hashed_password|secret/)
})

test('what its schema does not name is left out of a response', async () => {
  const app = await createTestApp()
  const schema = { response: { 200: z.object({ id: z.int() }) } }
  app.get('/row', { schema }, async () => ({ id: 1, hashed_password: 'secret' }))
  expect((await app.inject({ url: '/row' })).body).toBe('{"id":1}')
})

test('the log contains the details that the client does not see', async () => {
  const lines: string[] = []
  const app = await createTestApp({}, { level: 'error', stream: { write: (line) => void lines.push(line) } })
  app.get('/broken', async () => {
    throw new Error(detail)
  })
  const { headers } = await app.inject({ url: '/broken' })
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    reqId: headers['x-request-id'],
    err: { message: detail },
  })
})

describe('the values of a failed query, such as hashes and addresses,', () => {
  const failed = () =>
    new DrizzleQueryError('INSERT …', ['$argon2id$hash', 'alice@example.com'], new Error('disk full'))

  test.each<[string, (app: TestApp) => unknown]>([
    ['a route', (app) => app.inject({ url: '/query' })],
    ['a job', (app) => app.log.error({ err: failed() }, 'a job failed')],
  ])('are not in the log of %s', async (_case, run) => {
    const lines: string[] = []
    const app = await createTestApp(
      {},
      { level: 'error', stream: { write: (line) => void lines.push(line) } },
    )
    app.get('/query', async () => {
      throw failed()
    })
    await run(app)
    expect(lines.join('')).toContain('disk full')
    expect(lines.join('')).not.toMatch(/argon2|alice/)
  })

  test('are not in the error of a migration', () => {
    const applied = [{ hash: 'unknown', time: 1 }]
    for (const unknown of [[], applied])
      expect(inspect(migrationError(failed(), unknown))).not.toMatch(/argon2|alice/)
  })
})
