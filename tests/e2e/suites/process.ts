import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { start } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { freePort } from '../../support/port.js'
import { type Answer, type Client, client } from '../harness/client.ts'
import { newDatabase } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'

/** An entry of the variant that a client can add and read, such as a user or a note. */
export interface Entry {
  path: string
  /** The body of the nth entry, different for each n. */
  body(n: number): object
  /** Whether the service still has the nth entry. */
  has(service: Client, n: number, added: Answer): Promise<boolean>
}

/** Tests of the process for every variant: health, start, stop, crash, two processes. */
export function processSuite(project: () => Report, entry: Entry): void {
  const cwd = () => project().directory
  const freshDatabase = async () => (await newDatabase(project())).env

  test('npm start serves health checks and documentation, logs JSON and stops on SIGTERM', async () => {
    // With SQLite .env names a database file; a PostgreSQL database must be created.
    const env = project().answers.database === 'sqlite' ? {} : await freshDatabase()
    const service = await startService({ cwd: cwd(), env, command: ['npm', 'start'] })
    expect((await service.get('/health/live')).status).toBe(200)
    expect((await service.get('/health/ready')).status).toBe(200)
    const page = await service.get('/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect((await service.get('/nowhere')).body).toMatchObject({ status: 404, code: 'not_found' })
    const { stdout } = await service.stop()
    // Lines without a brace come from npm.
    const log = stdout.split('\n').filter((line) => line.startsWith('{'))
    expect(log.map((line) => JSON.parse(line).msg)).toContain('stopping')
  })

  test('without NODE_ENV there is no API documentation, because that is production', async () => {
    const service = await startService({
      cwd: cwd(),
      env: { ...(await freshDatabase()), NODE_ENV: '' },
    })
    expect((await service.get('/docs')).status).toBe(404)
    expect((await service.get('/openapi.json')).status).toBe(404)
    await service.stop()
  })

  test('a request in flight finishes after SIGTERM', async () => {
    const service = await startService({ cwd: cwd(), env: await freshDatabase(), command: PATIENT })
    const inFlight = beginRequest(service.url + entry.path)
    await once(inFlight, 'continue')
    const idle = await service.get('/health/live')
    expect(idle.status).toBe(200)

    const stopped = service.stop('SIGTERM')
    await untilRefused(service)
    const answered = once(inFlight, 'response') as Promise<[IncomingMessage]>
    inFlight.end(bodyOf(entry))
    const [answer] = await answered
    expect({ status: answer.statusCode, body: await json(answer) }).toMatchObject({ status: 201 })
    expect(answer.headers.connection).toBe('close')
    expect((await stopped).code).toBe(0)
  })

  test('connections without a whole request do not delay the stop', async () => {
    const service = await startService({ cwd: cwd(), env: await freshDatabase() })
    const inBody = beginRequest(service.url + entry.path)
    // The service resets it.
    inBody.on('error', () => {})
    await once(inBody, 'continue')
    inBody.write(bodyOf(entry).slice(0, 1))
    // A silent one, one in the middle of the headers, one that is idle after a response, and one that was refused.
    const sent = [
      '',
      'GET / HTTP/1.1\r\n',
      'GET /health/live HTTP/1.1\r\nHost: service\r\n\r\n',
      'hello\r\n\r\n',
    ]
    const sockets = await Promise.all(sent.map((text) => holdConnection(service, text)))
    // The service accepts connections in order.
    expect((await service.get('/health/live')).status).toBe(200)
    // After 10 seconds the service would exit with code 1.
    expect((await service.stop('SIGTERM')).code).toBe(0)
    for (const socket of sockets) socket.destroy()
  })

  test('SIGINT stops the service too', async () => {
    const service = await startService({ cwd: cwd(), env: await freshDatabase() })
    expect((await service.stop('SIGINT')).code).toBe(0)
  })

  test('a restart keeps the data', async () => {
    const env = await freshDatabase()
    const before = await startService({ cwd: cwd(), env })
    const added = await before.post(entry.path, entry.body(1))
    expect(added.status).toBe(201)
    await before.stop()
    const after = await startService({ cwd: cwd(), env })
    expect(await entry.has(after, 1, added)).toBe(true)
    await after.stop()
  })

  test('kill -9 loses no acknowledged write', async () => {
    const env = await freshDatabase()
    const before = await startService({ cwd: cwd(), env })
    const added: Answer[] = []
    const adding = Array.from({ length: 20 }, (_, n) =>
      before.post(entry.path, entry.body(n)).then((answer) => {
        added[n] = answer
        if (Object.keys(added).length === 6) before.running.signal('SIGKILL')
      }),
    )
    await Promise.allSettled(adding)
    expect((await before.running.ended).signal).toBe('SIGKILL')

    const after = await startService({ cwd: cwd(), env })
    expect(Object.keys(added).length).toBeGreaterThanOrEqual(6)
    for (const [n, answer] of Object.entries(added)) {
      expect(answer.status).toBe(201)
      expect(await entry.has(after, Number(n), answer), `entry ${n}`).toBe(true)
    }
    await after.stop()
  })

  test('two processes start in parallel on one new database and share it', async () => {
    const env = await freshDatabase()
    const [one, other] = await Promise.all([
      startService({ cwd: cwd(), env }),
      startService({ cwd: cwd(), env }),
    ])
    for (const service of [one, other]) expect((await service.get('/health/ready')).status).toBe(200)
    const added = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? one : other).post(entry.path, entry.body(n))),
    )
    for (const [n, answer] of added.entries()) {
      expect(answer.status).toBe(201)
      expect(await entry.has(n % 2 === 0 ? other : one, n, answer)).toBe(true)
    }
    await Promise.all([one.stop(), other.stop()])
  })
}

/** Tests of what a process writes to its log, and when. */
export function logSuite(project: () => Report, entry: Entry): void {
  const startPatient = async () => {
    const { env } = await newDatabase(project())
    return startService({ cwd: project().directory, env, command: PATIENT })
  }

  test('a service whose log nobody reads any more goes on', async () => {
    const service = await startPatient()
    service.running.child.stdout.destroy()
    // The first of these lines cannot be written. A process that ends because of it answers none of the others.
    for (let count = 0; count < 5; count += 1) expect((await service.get('/nowhere')).status).toBe(404)
    expect((await service.stop()).code).toBe(0)
  })

  test('a service whose log has no room left on its disk goes on', async (context) => {
    if (!existsSync('/dev/full')) return context.skip('this system has no /dev/full')
    const { env } = await newDatabase(project())
    const port = String(await freePort())
    const running = start('sh', ['-c', 'exec node dist/server.js >/dev/full'], {
      cwd: project().directory,
      env: { ...env, PORT: port },
    })
    const service = client(`http://127.0.0.1:${port}`)
    const ready = async () => expect((await service.get('/health/ready')).status).toBe(200)
    await vi.waitFor(ready, { timeout: 600_000, interval: 100 })
    expect((await service.get('/nowhere')).status).toBe(404)
    running.signal('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  test('the log has the line after which the process exits', async () => {
    const service = await startPatient()
    const inFlight = beginRequest(service.url + entry.path)
    inFlight.on('error', () => {})
    await once(inFlight, 'continue')
    service.running.signal('SIGTERM')
    await service.running.until(/"stopping"/)
    const { code, stdout } = await service.stop('SIGTERM')
    expect(code).toBe(1)
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('second SIGTERM, exiting')
  })
}

/** Starts a service whose timers take 60 times as long, because this process may need seconds to send a body. */
const PATIENT = [
  'node',
  '--import',
  'data:text/javascript,const start = setTimeout; globalThis.setTimeout = Object.assign((run, ms, ...rest) => start(run, ms * 60, ...rest), start)',
  'dist/server.js',
] as const

const bodyOf = (entry: Entry) => JSON.stringify(entry.body(1))

/** Starts a POST without a body. The event `continue` means that the service has started to read it. */
function beginRequest(url: string): ClientRequest {
  const started = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', expect: '100-continue', 'transfer-encoding': 'chunked' },
  })
  started.flushHeaders()
  return started
}

/** Opens a connection that stays open when the service ends its side, sends the text and waits for a response to it. */
async function holdConnection(service: Service, text: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  // After a reset, 'close' follows.
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  if (text.endsWith('\r\n\r\n')) await once(socket, 'data')
  return socket
}

/** Resolves when the service refuses new connections. */
async function untilRefused(service: Service): Promise<void> {
  const { hostname, port } = new URL(service.url)
  for (;;) {
    const socket = connect(Number(port), hostname)
    const refused = await once(socket, 'connect').then(
      () => false,
      () => true,
    )
    socket.destroy()
    if (refused) return
  }
}
