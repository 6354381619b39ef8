import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../src/config.ts'
import { createTestApp } from './app.ts'
import { testSettings } from './settings.ts'
import { closedPort, startTcpServer } from './tcp-server.ts'

const refused = { problem: { status: 429 } }

/** An app that writes its log into `events`, what it says of Redis, and `log`, all of it. */
async function appWithLog(url: string) {
  const events: string[] = []
  let log = ''
  const write = (line: string) => {
    log += line
    const { event } = JSON.parse(line)
    if (event?.startsWith('redis.')) events.push(event)
  }
  const app = await createTestApp({ REDIS_URL: url }, { stream: { write } })
  return Object.assign(app, { events, log: () => log })
}

describe('REDIS_URL', () => {
  const load = (url: string) => loadConfig({ ...testSettings, REDIS_URL: url }).redis.url

  test.each([
    'redis://localhost',
    'redis://localhost:6379/',
    'redis://:s3cret@redis.example:6380/15',
    'rediss://user:p%40ss@[::1]:6379/0',
  ])('may be %s', (url) => {
    expect(load(url)).toBe(url)
  })

  test.each([
    'localhost:6379',
    'http://:s3cret@localhost',
    'redis://',
    'redis:///0',
    'redis://localhost/s3cret',
    'redis://localhost:s3cret',
    'redis://:s3cret#1@localhost',
    'redis://:s3cret%@localhost',
    'redis://localhost?password=s3cret',
    // Taken for one without TLS by the driver.
    'REDISS://:s3cret@localhost',
  ])('is not %s, and is never echoed', (url) => {
    expect(() => load(url)).toThrow(/^REDIS_URL must be the address of a Redis server, such as [^\n]*$/)
    expect(() => load(url)).not.toThrow(/s3cret/)
  })
})

describe('a Redis that', () => {
  test.each([
    ['is not there', closedPort],
    ['never answers', async () => (await startTcpServer()).port],
    ['hangs up', async () => (await startTcpServer((socket) => socket.destroy())).port],
    [
      'refuses the password',
      async () =>
        (await startTcpServer((socket) => socket.on('data', () => socket.write('-WRONGPASS invalid\r\n'))))
          .port,
    ],
  ])('%s costs no request: each is counted in memory', async (_case, port) => {
    const app = await appWithLog(`redis://alice:s3cret@127.0.0.1:${await port()}`)
    const limit = app.addressLimit('test', 2)
    await limit.take('192.0.2.1')
    await expect.poll(() => app.events, { timeout: 10_000 }).toEqual(['redis.down'])
    await limit.take('192.0.2.1')
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused)
    expect((await app.inject({ url: '/health/ready' })).statusCode).toBe(200)
    await app.close()
    expect(app.events).toEqual(['redis.down'])
    expect(app.log()).not.toContain('s3cret')
  })

  test('never answers is tried again, and is told of once', async () => {
    const { server, port } = await startTcpServer()
    const app = await appWithLog(`redis://127.0.0.1:${port}`)
    for (let connection = 0; connection < 2; connection += 1) await once(server, 'connection')
    expect(app.events).toEqual(['redis.down'])
  })
})

const testServer = process.env.TEST_REDIS_URL

/** A way to the server of the tests that can be cut (`down`), hung up on (`silent`) and mended (`up`). */
async function startProxy(target: URL) {
  let mode: 'up' | 'down' | 'silent' = 'up'
  const { server, sockets, port } = await startTcpServer((socket) => {
    if (mode === 'down') return socket.destroy()
    const redis = connect(Number(target.port || 6379), target.hostname)
    redis.on('error', () => {})
    socket.on('data', (data) => mode === 'up' && redis.write(data))
    redis.on('data', (data) => mode === 'up' && socket.write(data))
    socket.on('close', () => redis.destroy())
    redis.on('close', () => socket.destroy())
  })
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    server,
    sockets,
    set(next: typeof mode) {
      mode = next
      if (mode === 'down') for (const socket of sockets) socket.destroy()
    },
  }
}

describe.skipIf(testServer === undefined)('on a server (skipped without TEST_REDIS_URL)', () => {
  const serverUrl = testServer ?? ''
  /** Of a test's own: the server may be shared. */
  const uniqueName = () => `test-${randomUUID()}`

  async function instance(url = serverUrl) {
    const app = await appWithLog(url)
    await expect.poll(() => app.events, { timeout: 10_000 }).toEqual(['redis.up'])
    return app
  }

  /** The server itself. @returns commands on the count of an address */
  function countOf(name: string, client: string) {
    const redis = new Redis(serverUrl)
    const key = `${loadConfig(testSettings).redis.keyPrefix}:address-limit:${name}:${client}`
    onTestFinished(async () => {
      await redis.del(key)
      redis.disconnect()
    })
    return {
      value: () => redis.get(key),
      endsInMs: () => redis.pttl(key),
      end: () => redis.pexpire(key, 0),
    }
  }

  test('of many attempts at once, at two instances, no more get through', async () => {
    const apps = [await instance(), await instance()]
    const name = uniqueName()
    const limits = apps.map((app) => app.addressLimit(name, 5))
    const count = countOf(name, '192.0.2.1')
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => limits[index % 2]?.take('192.0.2.1')),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await count.value()).toBe('5')
  })

  test('a window ends after a minute, whatever was refused in it, and leaves nothing behind', async () => {
    const app = await instance()
    const name = uniqueName()
    const limit = app.addressLimit(name, 1)
    const count = countOf(name, '192.0.2.1')
    await limit.take('192.0.2.1')
    const error = await limit.take('192.0.2.1').catch((error) => error)
    expect(error).toMatchObject(refused)
    expect(error.details.retryAfter).toBeGreaterThan(0)
    expect(error.details.retryAfter).toBeLessThanOrEqual(60)
    const endsInMs = await count.endsInMs()
    expect(endsInMs).toBeGreaterThan(0)
    expect(endsInMs).toBeLessThanOrEqual(error.details.retryAfter * 1000)
    await count.end()
    expect(await count.value()).toBe(null)
    await limit.take('192.0.2.1')
  })

  test('what is given back can be taken again at the other instance, and the window stays as long', async () => {
    const [one, other] = [await instance(), await instance()]
    const name = uniqueName()
    const count = countOf(name, '192.0.2.1')
    const giveBack = await one.addressLimit(name, 1).take('192.0.2.1')
    const endsInMs = await count.endsInMs()
    await giveBack()
    expect(await count.value()).toBe('0')
    await other.addressLimit(name, 1).take('192.0.2.1')
    await expect(one.addressLimit(name, 1).take('192.0.2.1')).rejects.toMatchObject(refused)
    expect(await count.endsInMs()).toBeLessThanOrEqual(endsInMs)
  })

  test('what is given back after the window is over counts for nothing', async () => {
    const app = await instance()
    const name = uniqueName()
    const count = countOf(name, '192.0.2.1')
    const giveBack = await app.addressLimit(name, 1).take('192.0.2.1')
    await count.end()
    await giveBack()
    expect(await count.value()).toBe(null)
  })

  test('one /64 of IPv6 is one client', async () => {
    const limit = (await instance()).addressLimit(uniqueName(), 1)
    await limit.take('2001:db8:1:2::1')
    await expect(limit.take('2001:db8:1:2:ffff::1')).rejects.toMatchObject(refused)
  })

  test('is left with the app, and that is no reason to complain', async () => {
    const proxy = await startProxy(new URL(serverUrl))
    const app = await instance(proxy.url)
    const closed = Promise.all([...proxy.sockets].map((socket) => once(socket, 'close')))
    await app.close()
    await closed
    // Until another one is connected it has heard of it too.
    await instance(proxy.url)
    expect(app.events).toEqual(['redis.up'])
  })

  test.each(['down', 'silent'] as const)(
    'that goes %s, the limit is counted in memory until it is back, and the log has a line for each',
    async (mode) => {
      const proxy = await startProxy(new URL(serverUrl))
      const app = await instance(proxy.url)
      const name = uniqueName()
      const limit = app.addressLimit(name, 2)
      const count = countOf(name, '192.0.2.1')
      const giveBack = await limit.take('192.0.2.1')

      proxy.set(mode)
      const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => limit.take('192.0.2.1')))
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
      await giveBack()
      expect(app.events).toEqual(['redis.up', 'redis.down'])
      // Tried again meanwhile, and told of once.
      await once(proxy.server, 'connection')

      proxy.set('up')
      await expect.poll(() => app.events, { timeout: 20_000 }).toEqual(['redis.up', 'redis.down', 'redis.up'])
      await limit.take('192.0.2.1')
      expect(await count.value()).toBe('2')
      await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused)
    },
  )
})
