import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { createMetricsApp } from '../support/metrics.ts'
import { startTcpServer } from '../support/tcp-server.ts'

async function appWithMetrics() {
  const { app, address } = await createMetricsApp()
  app.get('/things/:id', async () => ({}))
  app.gauge('things_waiting', 'Things', () => 7)
  app.gauge('things_unknown', 'Things', async () => {
    throw new Error('no database')
  })
  const url = await address()
  return { app, url, read: async () => (await fetch(url)).text() }
}

const secret = 'Secret4711'

test('requests are counted by the pattern of the route and the status, and figures are read', async () => {
  const { app, read } = await appWithMetrics()
  for (const id of ['1', '2']) await app.inject({ url: `/things/${id}?token=${secret}` })
  await app.inject({ url: '/health/live' })

  const metrics = await read()
  expect(metrics).toContain(
    'http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 2',
  )
  expect(metrics).toContain(
    'http_request_duration_seconds_count{method="GET",route="/health/live",status="200"} 1',
  )
  expect(metrics).toMatch(/^nodejs_eventloop_lag_seconds /m)
  expect(metrics).toMatch(/^things_waiting 7$/m)
  expect(metrics).toMatch(/^things_unknown nan$/im)
})

// A reader of the metrics would learn ids and tokens, and a flood of new paths would fill the memory.
test('nothing that a client sends becomes a label', async () => {
  const { app, read } = await appWithMetrics()
  for (const url of [`/${secret}`, `/things/${secret}?${secret}`, `/%zz${secret}`])
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS'] as const)
      await app.inject({ method, url, headers: { 'user-agent': secret, host: secret } })
  const before = (await read()).match(/^http_request_duration_seconds_count/gm)?.length
  for (let number = 0; number < 20; number += 1) await app.inject({ url: `/${number}/${secret}` })

  const metrics = await read()
  expect(metrics).toContain('route="none"')
  expect(metrics).not.toContain(secret)
  expect(metrics.match(/^http_request_duration_seconds_count/gm)).toHaveLength(before ?? 0)
})

// Through the proxy, everyone could see how busy the service is.
test('the port of the service serves no metrics, and that of the metrics nothing else', async () => {
  const { app, url } = await appWithMetrics()
  expect((await app.inject({ url: '/metrics' })).statusCode).toBe(404)
  for (const other of [new URL('/health/live', url), new URL('/metrics/', url), new URL('/', url)])
    expect((await fetch(other)).status).toBe(404)
  expect((await fetch(url, { method: 'POST' })).status).toBe(404)
})

// Otherwise everyone could see how busy the service is.
test('with a token, only clients that send it read the metrics, at the port of the service or at METRICS_PORT', async () => {
  const token = '0123456789abcdef'
  const wrong = [undefined, 'Bearer ', 'Bearer 0123456789abcdee', `Basic ${token}`, token]
  const service = await createTestApp({ METRICS_TOKEN: token })
  const read = (authorization?: string) =>
    service.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } })
  for (const authorization of wrong) {
    const { statusCode, body } = await read(authorization)
    expect([statusCode, body]).toEqual([401, ''])
  }
  const { body, headers } = await read(`Bearer ${token}`)
  expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m)
  expect(headers['cache-control']).toBe('no-store')

  const url = await (await createMetricsApp({ METRICS_TOKEN: token })).address()
  expect((await fetch(url)).status).toBe(401)
  expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
})

test('a route of your own for /metrics stops the start with a hint, unless the metrics have a port of their own', async () => {
  const app = await createTestApp({ METRICS_TOKEN: '0123456789abcdef' })
  expect(() => app.get('/metrics', async () => 'yours')).toThrow('both serve /metrics')
  const { app: other } = await createMetricsApp()
  other.get('/metrics', async () => 'yours')
  expect((await other.inject({ url: '/metrics' })).body).toBe('yours')
})

test('without METRICS_PORT and METRICS_TOKEN there are no metrics, and figures are never read', async () => {
  const app = await createTestApp()
  app.gauge('things_waiting', 'Things', () => {
    throw new Error('read')
  })
  await app.ready()
  expect((await app.inject({ url: '/metrics' })).statusCode).toBe(404)
})

test.each([
  ['METRICS_PORT', '-1'],
  ['METRICS_PORT', '65536'],
  ['METRICS_TOKEN', '0123456789abcde'],
])('%s=%s is rejected', async (name, value) => {
  await expect(createTestApp({ [name]: value })).rejects.toThrow(new RegExp(`^${name} must be .+$`))
})

test('METRICS_PORT must differ from PORT', async () => {
  await expect(createTestApp({ PORT: '3000', METRICS_PORT: '3000' })).rejects.toThrow(
    'METRICS_PORT must differ from PORT; to serve /metrics there, set METRICS_TOKEN instead',
  )
})

test('a closed app serves no metrics', async () => {
  const { app, url } = await appWithMetrics()
  await fetch(url)
  await app.close()
  await expect(fetch(url)).rejects.toThrow()
})

test('a port in use is named', async () => {
  const { port } = await startTcpServer()
  const app = await createTestApp({ METRICS_PORT: String(port) })
  await expect(app.ready()).rejects.toThrow(`METRICS_PORT ${port} is in use`)
})
