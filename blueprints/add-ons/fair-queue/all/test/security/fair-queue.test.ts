import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

// An attacker could send hundreds of requests at once, and everyone else would wait until the last of them is answered.

const origin = 'https://app.example.com'
const storage = new AsyncLocalStorage<string>()

async function createApp() {
  const app = await createTestApp({ TRUST_PROXY: '127.0.0.1', CORS_ORIGINS: origin })
  /** The names of the requests, in the order in which they were handled. */
  const handled: string[] = []
  app.get<{ Params: { name: string } }>('/quick/:name', async ({ params }) => {
    handled.push(params.name)
    return { stored: storage.getStore() }
  })
  /** Takes more than a turn of the event loop may last. */
  app.get<{ Params: { name: string } }>('/busy/:name', async ({ params }) => {
    handled.push(params.name)
    const startedAt = performance.now()
    while (performance.now() - startedAt < 2);
  })
  await app.ready()

  const send = (url: string, address = '203.0.113.1') =>
    app.inject({ url, remoteAddress: '127.0.0.1', headers: { origin, 'x-forwarded-for': address } })

  /** Resolves to the largest number of requests that were handled in one turn, once all of them are. */
  async function largestTurn(requests: unknown[], eachTurn = () => {}) {
    let largest = 0
    while (handled.length < requests.length) {
      const before = handled.length
      eachTurn()
      await new Promise((resolve) => setImmediate(resolve))
      largest = Math.max(largest, handled.length - before)
    }
    await Promise.all(requests)
    return largest
  }

  return { app, handled, send, largestTurn }
}

const numbers = Array.from({ length: 20 }, (_, number) => number)

test.each([
  ['one address', () => '203.0.113.1'],
  ['many /64s of one /48', (number: number) => `2001:db8:1:${number}::1`],
])('clients alternate, and a flood from %s is one client', async (_case, address) => {
  const { handled, send } = await createApp()
  const flood = numbers.map((number) => send(`/busy/${number}`, address(number)))
  const others = [send('/busy/first', '198.51.100.1'), send('/busy/second', '198.51.100.2')]
  for (const { statusCode } of await Promise.all([...flood, ...others])) expect(statusCode).toBe(200)
  // Without other requests, one starts at once.
  expect(handled.slice(0, 5)).toEqual(['0', '1', 'first', 'second', '2'])
  expect(handled).toHaveLength(22)
})

test('a turn of the event loop ends after a request that took long', async () => {
  const { send, largestTurn } = await createApp()
  expect(await largestTurn(numbers.map((number) => send(`/busy/${number}`)))).toBe(1)
})

test('a turn in which a connection is accepted starts one request', async () => {
  const { app, send, largestTurn } = await createApp()
  const requests = numbers.map((number) => send(`/quick/${number}`))
  expect(await largestTurn(requests, () => app.server.emit('connection', new Socket()))).toBe(1)
})

test('a request that waits keeps its AsyncLocalStorage', async () => {
  const { send } = await createApp()
  const answers = numbers.map((number) =>
    storage.run(`store ${number}`, async () => await send(`/quick/${number}`)),
  )
  const stored = (await Promise.all(answers)).map((answer) => answer.json().stored)
  expect(stored).toEqual(numbers.map((number) => `store ${number}`))
})

// One connection can carry thousands of requests in a few hundred kilobytes.
test('a client that sends without end gets 503, and the requests of others are answered', async () => {
  const { send } = await createApp()
  const flood = Array.from({ length: 3_000 }, (_, number) => send(`/quick/${number}`))
  const other = send('/quick/other', '198.51.100.1')
  const counts: Record<number, number> = {}
  for (const { statusCode, headers } of await Promise.all(flood)) {
    counts[statusCode] = (counts[statusCode] ?? 0) + 1
    expect(headers['access-control-allow-origin']).toBe(origin)
  }
  expect(counts[503]).toBeGreaterThan(0)
  expect(counts[200]).toBeGreaterThan(1_000)
  expect((await other).statusCode).toBe(200)
})
