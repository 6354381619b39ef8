import Fastify from 'fastify'
import { expect, test } from 'vitest'
import missingPages from '../../dev/missing-pages.ts'

const app = Fastify()
await app.register(missingPages)
app.get('/account', async () => 'yours')

test.each(['/login', '/register', '/register?from=email'])(
  'without a page at %s, the answer says what to do',
  async (url) => {
    const { statusCode, headers, body } = await app.inject({ url })
    expect(statusCode).toBe(404)
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(body).toContain('Set FRONTEND_URL')
    expect(body).toContain('npx create-authsmith@latest add pages\n')
  },
)

test('a route of the service comes first', async () => {
  expect((await app.inject({ url: '/account' })).body).toBe('yours')
})

test.each([
  ['GET', '/nowhere'],
  ['GET', '/login/'],
  ['POST', '/login'],
] as const)('%s %s is not found as usual', async (method, url) => {
  const { statusCode, headers } = await app.inject({ method, url })
  expect(statusCode).toBe(404)
  expect(headers['content-type']).toMatch(/^application\/json/)
})
