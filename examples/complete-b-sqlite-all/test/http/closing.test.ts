import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { openConnection } from '../support/connection.ts'

/**
 * A listening app with a route that emits `started` and responds on `finish`. `stopping` is emitted on shutdown, whose
 * time only the test advances.
 */
async function listeningApp() {
  const app = await createTestApp({ CORS_ORIGINS: 'https://app.example.com' })
  const slow = new EventEmitter()
  app.get('/slow', async () => {
    slow.emit('started')
    await once(slow, 'finish')
    return { finished: true }
  })
  app.post('/body', async () => ({}))
  app.addHook('preClose', async () => void slow.emit('stopping'))
  await app.listen({ host: '127.0.0.1', port: 0 })
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return { app, slow }
}

const head = 'HTTP/1.1\r\nHost: service\r\n'
const get = (path: string) => `GET ${path} ${head}\r\n`

test('a running request finishes, and its response closes the connection', async () => {
  const { app, slow } = await listeningApp()
  const client = await openConnection(app)
  const started = once(slow, 'started')
  client.send(get('/slow'))
  await started
  const stopping = once(slow, 'stopping')
  const closed = app.close()
  await stopping
  vi.advanceTimersByTime(5_000)
  slow.emit('finish')
  const response = await client.end()
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(response).toMatch(/\r\nconnection: close\r\n/i)
  expect(response).toContain('{"finished":true}')
  await closed
})

test('a request that arrives during shutdown is refused, so the client can send it to another instance', async () => {
  const { app, slow } = await listeningApp()
  const client = await openConnection(app)
  const late = await openConnection(app)
  const started = once(slow, 'started')
  client.send(get('/slow'))
  await started
  // Its first line arrives before the shutdown, because an idle connection would be closed immediately.
  late.send('GET /health/live HTTP/1.1\r\n')
  while (late.accepted.bytesRead === 0) await setImmediate()
  client.send(get('/health/live'))
  const stopping = once(slow, 'stopping')
  const closed = app.close()
  await stopping
  late.send('Host: service\r\nOrigin: https://app.example.com\r\n\r\n')
  slow.emit('finish')
  const refusal = await late.end()
  expect(refusal).toMatch(/^HTTP\/1\.1 503 /)
  // Otherwise a browser reports a network error, and the page cannot tell that it may try again.
  expect(refusal).toMatch(/\r\naccess-control-allow-origin: https:\/\/app\.example\.com\r\n/i)
  expect((await client.end()).match(/HTTP\/1\.1 \d+/g)?.[0]).toBe('HTTP/1.1 200')
  await closed
})

test('an idle connection does not delay the shutdown', async () => {
  const { app } = await listeningApp()
  const idle = await openConnection(app)
  idle.send(get('/health/live'))
  await idle.receive(/"status":"ok"/)
  await app.close()
  await idle.end()
})

// A single such client could otherwise delay every shutdown until the process is killed.
test.each([
  ['silent', '', /^$/],
  ['half-open after an error', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['in the middle of the headers', 'GET /slow HTTP/1.1\r\n', /^$/],
  [
    'in the middle of the body',
    `POST /body ${head}Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{`,
    /^HTTP\/1\.1 100 /,
  ],
])('a connection that is %s has one second until it is closed', async (_case, sent, received) => {
  const { app, slow } = await listeningApp()
  const client = await openConnection(app, true)
  client.send(sent)
  await client.receive(received)
  const stopping = once(slow, 'stopping')
  const closed = app.close()
  await stopping
  expect(client.accepted.destroyed).toBe(false)
  vi.advanceTimersByTime(1_000)
  expect(client.accepted.destroyed).toBe(true)
  await closed
})
