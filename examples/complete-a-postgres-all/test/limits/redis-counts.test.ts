import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import type { RedisTimeouts } from '../../src/limits/redis-counts.ts'
import { createTestApp } from '../support/app.ts'
import { testSettings } from '../support/settings.ts'
import { startTcpServer } from '../support/tcp-server.ts'

const refused = { problem: { status: 429 } }

/** More time than a busy machine needs. */
const patient: RedisTimeouts = { commandTimeout: 60_000, startMs: 60_000 }

/**
 * An app that uses Redis. `events` are the Redis events in its log, `log` returns the whole log, and `logged` waits for
 * the given number of events.
 * @param redisTimeouts `{}`: those of the service
 */
async function appWithLog(url: string, redisTimeouts = patient) {
  const events: string[] = []
  const logging = new EventEmitter()
  let log = ''
  const write = (line: string) => {
    log += line
    const { event } = JSON.parse(line)
    if (!event?.startsWith('redis.')) return
    events.push(event)
    logging.emit('event')
  }
  const logged = async (count: number) => {
    while (events.length < count) await once(logging, 'event')
    return events
  }
  const app = await createTestApp({ REDIS_URL: url }, { stream: { write } }, { redisTimeouts })
  return Object.assign(app, { events, logged, log: () => log })
}

describe('REDIS_URL', () => {
  const load = (url: string) => loadConfig({ ...testSettings, REDIS_URL: url }).redis.url

  test.each([
    'redis://localhost',
    'redis://localhost:6379/',
    'redis://:s3cret@redis.example:6380/15',
    'rediss://user:p%40ss@[::1]:6379/0',
  ])('accepts %s', (url) => {
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
    // The driver would connect without TLS.
    'REDISS://:s3cret@localhost',
  ])('rejects %s without repeating it', (url) => {
    expect(() => load(url)).toThrow(/^REDIS_URL must be the address of a Redis server, such as [^\n]*$/)
    expect(() => load(url)).not.toThrow(/s3cret/)
  })
})

/** Accepts every command but the one that counts. */
function answerLikeReplica(socket: Socket) {
  socket.on('data', (data) => {
    const [, ...commands] = String(data).split(/^\*\d+\r\n/m)
    for (const command of commands) socket.write(/eval/i.test(command) ? '-READONLY replica\r\n' : '+OK\r\n')
  })
}

/** Refuses a script with several keys, as any server of a cluster does if they are of different servers. */
function answerLikeCluster(socket: Socket) {
  socket.on('data', (data) => {
    const [, ...commands] = String(data).split(/^\*\d+\r\n/m)
    for (const command of commands) {
      const [, keys] = /eval\r\n\$\d+\r\n[^$]*\$\d+\r\n(\d+)\r\n/i.exec(command) ?? []
      if (keys === undefined) socket.write('+OK\r\n')
      else
        socket.write(keys === '1' ? ':0\r\n' : "-CROSSSLOT Keys in request don't hash to the same slot\r\n")
    }
  })
}

/** Loads its data, as any server does after a restart, until `load` is called. Then it counts nothing. */
function loadingServer() {
  let isLoading = true
  const answer = (socket: Socket) =>
    socket.on('data', (data) => {
      const [, ...commands] = String(data).split(/^\*\d+\r\n/m)
      const info = `loading:${Number(isLoading)}\r\nloading_eta_seconds:60`
      for (const command of commands) {
        if (/info/i.test(command)) socket.write(`$${info.length}\r\n${info}\r\n`)
        else if (!/eval/i.test(command)) socket.write('+OK\r\n')
        else socket.write(isLoading ? '-LOADING Redis is loading the dataset in memory\r\n' : '$-1\r\n')
      }
    })
  const load = () => {
    isLoading = false
  }
  return { answer, load }
}

describe('if Redis', () => {
  test.each([
    ['is down', async () => (await startTcpServer()).closedPort()],
    ['never responds', async () => (await startTcpServer()).port],
    ['closes connections', async () => (await startTcpServer((socket) => socket.destroy())).port],
    [
      'rejects the password',
      async () =>
        (await startTcpServer((socket) => socket.on('data', () => socket.write('-WRONGPASS invalid\r\n'))))
          .port,
    ],
    ['loads its data', async () => (await startTcpServer(loadingServer().answer)).port],
    ['refuses writes', async () => (await startTcpServer(answerLikeReplica)).port],
  ])('%s, requests succeed and are counted in memory', async (_case, port) => {
    const app = await appWithLog(`redis://alice:s3cret@127.0.0.1:${await port()}`, {})
    const limit = app.addressLimit('test', 2)
    await limit.take('192.0.2.1')
    expect(await app.logged(1)).toEqual(['redis.down'])
    await limit.take('192.0.2.1')
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused)
    expect((await app.inject({ url: '/health/ready' })).statusCode).toBe(200)
    await app.close()
    expect(app.events).toEqual(['redis.down'])
    expect(app.log()).not.toContain('s3cret')
  })

  test('belongs to a cluster, the service does not start', async () => {
    const { port } = await startTcpServer(answerLikeCluster)
    await expect(appWithLog(`redis://127.0.0.1:${port}`)).rejects.toThrow(
      /^REDIS_URL must be a single Redis server, not a Redis Cluster$/,
    )
  })

  test('turns out to belong to a cluster later, requests are counted in memory', async () => {
    let answer = (socket: Socket): void => void socket.destroy()
    const { port } = await startTcpServer((socket) => answer(socket))
    const app = await appWithLog(`redis://127.0.0.1:${port}`)
    const limit = app.addressLimit('test', 1)
    answer = answerLikeCluster
    expect(await app.logged(2)).toEqual(['redis.down', 'redis.cluster'])
    await limit.take('192.0.2.1')
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused)
  })

  test('has loaded its data, it is used', async () => {
    const { answer, load } = loadingServer()
    const { port } = await startTcpServer(answer)
    const app = await appWithLog(`redis://127.0.0.1:${port}`, { ...patient, startMs: 0 })
    const limit = app.addressLimit('test', 1)
    await limit.take('192.0.2.1')
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused)
    load()
    expect(await app.logged(2)).toEqual(['redis.down', 'redis.up'])
    await limit.take('192.0.2.1')
  })

  test('never responds, the connection is retried and the failure logged once', async () => {
    const { server, port } = await startTcpServer()
    const app = await appWithLog(`redis://127.0.0.1:${port}`, {})
    for (let connection = 0; connection < 2; connection += 1) await once(server, 'connection')
    expect(app.events).toEqual(['redis.down'])
  })
})

const testServer = process.env.TEST_REDIS_URL

/** A proxy to the test server that forwards everything (`up`) or nothing (`silent`), or closes connections (`down`). */
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

describe.skipIf(testServer === undefined)('with a Redis server (skipped without TEST_REDIS_URL)', () => {
  const serverUrl = testServer ?? ''
  /** Unique per test, because the server may be shared. */
  const uniqueName = () => `test-${randomUUID()}`

  async function instance(url = serverUrl, redisTimeouts?: RedisTimeouts) {
    const app = await appWithLog(url, redisTimeouts)
    expect(await app.logged(1)).toEqual(['redis.up'])
    return app
  }

  /** Commands on the count of one client, sent directly to the server. */
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
      neverEnd: () => redis.persist(key),
      /** What remains of the window if the server's clock goes back an hour. */
      endInAnHour: () => redis.pexpire(key, 3_600_000),
    }
  }

  test('concurrent attempts at two instances stay within the limit', async () => {
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

  test('a window ends after a minute, despite refused attempts, and its key is deleted', async () => {
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

  test.each([
    ['the clock of the server goes back', 'endInAnHour'],
    // As after a restore or a PERSIST: the client would be refused until someone deletes the key.
    ['its key has no end', 'neverEnd'],
  ] as const)('a window does not last longer if %s', async (_case, change) => {
    const app = await instance()
    const name = uniqueName()
    const limit = app.addressLimit(name, 1)
    const count = countOf(name, '192.0.2.1')
    await limit.take('192.0.2.1')
    await count[change]()
    await limit.take('192.0.2.1')
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused)
    expect(await count.endsInMs()).toBeGreaterThan(0)
  })

  test('an attempt given back at one instance can be used at the other, and does not extend the window', async () => {
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

  test('giving back an attempt after its window has ended has no effect', async () => {
    const app = await instance()
    const name = uniqueName()
    const count = countOf(name, '192.0.2.1')
    const giveBack = await app.addressLimit(name, 1).take('192.0.2.1')
    await count.end()
    await giveBack()
    expect(await count.value()).toBe(null)
  })

  test('an IPv6 /64 counts as one client', async () => {
    const limit = (await instance()).addressLimit(uniqueName(), 1)
    await limit.take('2001:db8:1:2::1')
    await expect(limit.take('2001:db8:1:2:ffff::1')).rejects.toMatchObject(refused)
  })

  test.each([
    ['/56', 4, (n: number) => `2001:db8:1:${n.toString(16)}::1`, '32.1.13.184.0.1.0.4'],
    ['/48', 16, (n: number) => `2001:db8:1:${n.toString(16)}00::1`, '32.1.13.184.0.1.16.0'],
  ])('an IPv6 %s has %i times the limit, counted all or nothing', async (_network, times, address, last) => {
    const [one, other] = [await instance(), await instance()]
    const name = uniqueName()
    const limit = one.addressLimit(name, 1)
    const count = countOf(name, last)
    for (let n = 1; n < times; n += 1) await limit.take(address(n))
    const giveBack = await other.addressLimit(name, 1).take(address(0))
    await expect(limit.take(address(times))).rejects.toMatchObject(refused)
    expect(await count.value()).toBe(null)
    await giveBack()
    await limit.take(address(times))
    expect(await count.value()).toBe('1')
    await expect(limit.take(address(times + 1))).rejects.toMatchObject(refused)
  })

  test('the connection closes with the app, and nothing is logged', async () => {
    const proxy = await startProxy(new URL(serverUrl))
    const app = await instance(proxy.url)
    const closed = Promise.all([...proxy.sockets].map((socket) => once(socket, 'close')))
    await app.close()
    await closed
    // Once another app is connected, the first one has handled the end of its connection.
    await instance(proxy.url)
    expect(app.events).toEqual(['redis.up'])
  })

  // A silent server times out after 5 seconds, because replies before that can be slow on a busy machine.
  test.each([
    ['down', 60_000],
    ['silent', 5_000],
  ] as const)(
    'while the server is %s, the limit is counted in memory, and each change is logged',
    async (mode, commandTimeout) => {
      const proxy = await startProxy(new URL(serverUrl))
      const app = await instance(proxy.url, { ...patient, commandTimeout })
      const name = uniqueName()
      const limit = app.addressLimit(name, 2)
      const count = countOf(name, '192.0.2.1')
      const giveBack = await limit.take('192.0.2.1')

      proxy.set(mode)
      const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => limit.take('192.0.2.1')))
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
      await giveBack()
      expect(app.events).toEqual(['redis.up', 'redis.down'])
      // It reconnects without logging again.
      await once(proxy.server, 'connection')

      proxy.set('up')
      expect(await app.logged(3)).toEqual(['redis.up', 'redis.down', 'redis.up'])
      await limit.take('192.0.2.1')
      expect(await count.value()).toBe('2')
      await expect(limit.take('192.0.2.1')).rejects.toMatchObject(refused)
    },
  )
})
