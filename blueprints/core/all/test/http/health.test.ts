import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

test.each(['/health/live', '/health/ready'])('%s returns 200 while the database works', async (url) => {
  const app = await createTestApp()
  const response = await app.inject({ url })
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.json()).toEqual({ status: 'ok' })
})

test('without a database connection, the service is live but not ready', async () => {
  const app = await createTestApp()
  await app.db.close()
  expect((await app.inject({ url: '/health/live' })).statusCode).toBe(200)
  const response = await app.inject({ url: '/health/ready' })
  expectProblem(response, 'unavailable')
  expect(response.headers['retry-after']).toBe('1')
})

test.each([
  ['info', 0],
  ['debug', 2],
])('with LOG_LEVEL=%s, the log has %i requests for health checks', async (level, count) => {
  const lines: string[] = []
  const app = await createTestApp({}, { level, stream: { write: (line: string) => void lines.push(line) } })
  await app.inject({ url: '/health/live' })
  await app.inject({ url: '/health/ready' })
  await app.inject({ url: '/nothing' })
  const paths = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  expect(paths.filter(({ path }) => path.startsWith('/health/'))).toHaveLength(count)
  expect(paths).toHaveLength(count + 1)
})
