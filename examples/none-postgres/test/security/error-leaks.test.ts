import { DrizzleQueryError } from 'drizzle-orm/errors'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTestApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

const detail = 'SELECT hashed_password at /srv/app/secret.ts'

test.each<[string, () => unknown]>([
  ['an error', () => new Error(detail)],
  ['an error with a cause', () => new Error('outer', { cause: new Error(detail) })],
  ['an error that names a status of its own', () => Object.assign(new Error(detail), { statusCode: 503 })],
  ['a text', () => detail],
  ['an object', () => ({ message: detail, stack: detail })],
])('%s that a route throws tells the client nothing', async (_case, make) => {
  const app = await createTestApp()
  app.get('/broken', async () => {
    throw make()
  })
  const response = await app.inject({ url: '/broken' })
  expectProblem(response, 'internal_error')
  expect(response.body).not.toMatch(/SELECT|secret|outer|\.ts/)
})

test("a dependency's refusal passes on its status at most, never its text", async () => {
  const app = await createTestApp()
  app.get('/refused', async () => {
    throw Object.assign(new Error(detail), { statusCode: 400 })
  })
  const response = await app.inject({ url: '/refused' })
  expectProblem(response, 'bad_request')
  expect(response.body).not.toContain('SELECT')
})

test('an answer that does not fit its schema stays inside', async () => {
  const app = await createTestApp()
  const schema = { response: { 200: z.strictObject({ id: z.int() }) } }
  app.get('/row', { schema }, async () => ({ id: 1, hashed_password: 'secret' }))
  const response = await app.inject({ url: '/row' })
  expectProblem(response, 'internal_error')
  expect(response.body).not.toMatch(/hashed_password|secret/)
})

test('the log has what the client is not told', async () => {
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

test('the log has no values of a query that failed: they can be hashes and addresses', async () => {
  const lines: string[] = []
  const app = await createTestApp({}, { level: 'error', stream: { write: (line) => void lines.push(line) } })
  app.get('/query', async () => {
    throw new DrizzleQueryError('INSERT …', ['$argon2id$hash', 'alice@example.com'], new Error('disk full'))
  })
  await app.inject({ url: '/query' })
  expect(lines.join('')).toContain('disk full')
  expect(lines.join('')).not.toMatch(/argon2|alice/)
})
