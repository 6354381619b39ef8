import { DrizzleQueryError } from 'drizzle-orm/errors'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTestApp } from '../support/app.ts'
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

test('the log does not contain the values of a failed query, such as hashes and email addresses', async () => {
  const lines: string[] = []
  const app = await createTestApp({}, { level: 'error', stream: { write: (line) => void lines.push(line) } })
  app.get('/query', async () => {
    throw new DrizzleQueryError('INSERT …', ['$argon2id$hash', 'alice@example.com'], new Error('disk full'))
  })
  await app.inject({ url: '/query' })
  expect(lines.join('')).toContain('disk full')
  expect(lines.join('')).not.toMatch(/argon2|alice/)
})
