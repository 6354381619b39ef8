import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../support/app.ts'
import { openConnection } from '../support/connection.ts'

// An attacker could open connections that never finish a request, until the service accepts no others.

let app: TestApp

beforeEach(async () => {
  app = await createTestApp()
  app.post('/echo', async (request) => request.body)
  await app.listen({ host: '127.0.0.1', port: 0 })
})

const line = 'POST /echo HTTP/1.1\r\n'
const head = `${line}Host: service\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`

test.each([
  ['sends no HTTP', 'hello\r\n\r\n', 400],
  ['sends too many headers', `${line}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['sends nothing', '', 408],
  ['sends half of the headers', line, 408],
  ['sends half of the body', `${head}{"a"`, 408],
])('a client that %s and stays is disconnected after the response', async (_case, sent, status) => {
  if (status === 408) Object.assign(app.server, { headersTimeout: 1, requestTimeout: 1 })
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const client = await openConnection(app, true)
  client.send(sent)
  expect(await client.receive(/"request_id":"[^"]+"\}$/)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  // Closed while the client still sends, a connection is reset, and the response can be lost.
  vi.advanceTimersByTime(999)
  expect(client.accepted.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(client.accepted.destroyed).toBe(true)
})

test('slow clients are looked for every second, so a timeout is not exceeded by more', () => {
  expect(app.server).toMatchObject({
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
  })
})
