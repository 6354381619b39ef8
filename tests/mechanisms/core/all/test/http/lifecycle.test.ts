import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { openConnection } from '../support/connection.ts'
import { expectProblem } from '../support/problem.ts'

test('until the migrations are applied, the service is live, refuses requests and starts no job', async () => {
  let finish = () => {}
  const migrated = new Promise<void>((resolve) => {
    finish = resolve
  })
  const app = await createTestApp({}, false, { migrated })
  const job = new Promise<void>((resolve) => {
    app.addHook('onListen', async () => resolve())
  })
  let hasJob = false
  job.then(() => {
    hasJob = true
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  expect((await app.inject({ url: '/health/live?from=probe' })).statusCode).toBe(200)
  for (const url of ['/health/ready', '/openapi.json', '/nowhere']) {
    const response = await app.inject({ url })
    expectProblem(response, 'unavailable')
    expect(response.headers['retry-after']).toBe('1')
  }
  expect(hasJob).toBe(false)
  finish()
  await job
  expect((await app.inject({ url: '/health/ready' })).statusCode).toBe(200)
})

test('a draining service is not ready, and answers everything else', async () => {
  const app = await createTestApp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  app.drain()
  expectProblem(await app.inject({ url: '/health/ready' }), 'unavailable')
  for (const url of ['/health/live', '/openapi.json']) {
    const response = await app.inject({ url })
    expect(response.statusCode).toBe(200)
    expect(response.headers.connection).not.toBe('close')
  }
})

// Otherwise a browser reports a network error, and the page cannot tell that it may try again.
test('a page of a listed origin can read the 503', async () => {
  const origin = 'https://app.example.com'
  const app = await createTestApp({ CORS_ORIGINS: origin }, false, { migrated: new Promise(() => {}) })
  const response = await app.inject({ url: '/nowhere', headers: { origin } })
  expectProblem(response, 'unavailable')
  expect(response.headers['access-control-allow-origin']).toBe(origin)
})

test('a service that stops while it migrates starts no job afterwards', async () => {
  let finish = () => {}
  const migrated = new Promise<void>((resolve) => {
    finish = resolve
  })
  const app = await createTestApp({}, false, { migrated })
  let jobs = 0
  app.addHook('onListen', async () => {
    jobs += 1
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  await app.close()
  finish()
  await migrated
  expect(jobs).toBe(0)
})

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
