import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { openConnection } from '../support/connection.ts'

// Anyone could otherwise log failures of a database that works.
test('a client that disconnects in the middle of a body is not logged as a failure', async () => {
  const lines: string[] = []
  const app = await createTestApp({}, { stream: { write: (line) => void lines.push(line) } })
  app.post('/echo', async (request) => request.body)
  const handled = new Promise<void>((resolve) => app.addHook('onSend', async () => resolve()))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const received = once(app.server, 'request')
  const client = await openConnection(app)
  const head = 'Host: service\r\nContent-Type: application/json\r\nContent-Length: 9'
  client.send(`POST /echo HTTP/1.1\r\n${head}\r\n\r\n{`)
  await received
  client.accepted.destroy()
  await handled
  const entries = lines.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId !== undefined)
  expect(entries).toMatchObject([{ level: 30, event: 'request.aborted' }])
})
