import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fetchWith, send } from '../../src/outgoing.ts'
import { startServer } from '../support/http-server.ts'

const local = { allowsLoopback: true }

/** How long an answer is. Not the answer, which a failed test would print. */
const sizeOf = async (...given: Parameters<typeof send>) => (await send(...given)).body.length

test('an answer has its status, headers and body', async () => {
  const { origin, requests } = await startServer((_request, response) => {
    response.writeHead(201, { 'content-type': 'text/plain', 'x-other': 'yes' }).end('hello')
  })
  const answer = await send(`${origin}/a?b=c`, { ...local, method: 'POST', body: 'sent' })
  expect([answer.status, String(answer.body), answer.headers['x-other']]).toEqual([201, 'hello', 'yes'])
  expect(requests).toMatchObject([{ method: 'POST', url: '/a?b=c', body: 'sent' }])
  expect(requests[0]?.headers['accept-encoding']).toBe('identity')
})

// Otherwise a host that a setting names could send the service to one inside of its network.
test('a redirect is an answer, and is not followed', async () => {
  const inside = await startServer((_request, response) => void response.end('secret'))
  const { origin } = await startServer((_request, response) => {
    response.writeHead(302, { location: inside.origin }).end()
  })
  expect((await send(origin, local)).status).toBe(302)
  expect(inside.requests).toHaveLength(0)
})

// CVE-2026-111497: a hostile answer in br crashes Node's decoder.
test.each(['br', 'gzip', 'deflate', 'zstd', 'gzip, identity'])(
  'an answer in %s is refused',
  async (encoding) => {
    const { origin } = await startServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(gzipSync('hello'))
    })
    await expect(send(origin, local)).rejects.toThrow('compressed')
  },
)

test('an answer of 10 MB is refused before it has arrived', async () => {
  let written = 0
  const { origin } = await startServer((_request, response) => {
    const part = Buffer.alloc(64 * 1024, 'x')
    const write = () => {
      while (written < 10 * 1024 * 1024 && !response.destroyed) {
        written += part.length
        if (!response.write(part)) return void response.once('drain', write)
      }
      response.end()
    }
    write()
  })
  await expect(sizeOf(origin, local)).rejects.toThrow('too large')
  expect(written).toBeLessThan(10 * 1024 * 1024)
})

test.each<[string, boolean]>([
  ['a byte now and then', true],
  ['nothing', false],
])('a host that sends %s does not keep the service waiting', async (_name, sends) => {
  const { origin } = await startServer((_request, response) => {
    // In the end, so that a service that waits for it fails the test.
    const end = setTimeout(() => response.end(), 5_000)
    const timer = sends ? setInterval(() => response.write('x'), 10) : undefined
    response.on('close', () => {
      clearInterval(timer)
      clearTimeout(end)
    })
  })
  await expect(sizeOf(origin, { ...local, seconds: 0.2 })).rejects.toThrow(/aborted/)
})

test.each([
  ['http://provider.example/', true],
  ['http://127.0.0.1:1/', false],
  ['http://localhost:1/', false],
  ['http://127.0.0.1.example.com/', true],
  ['http://10.0.0.1/', true],
  ['file:///etc/passwd', true],
  ['https://user:password@provider.example/', true],
  // CVE-2026-105482: the part before the NUL is checked, and another host is resolved.
  ['https://provider.example\0.evil.example/', true],
  ['https://provider.example%00.evil.example/', true],
])('%j is not requested', async (address, allowsLoopback) => {
  await expect(send(address, { allowsLoopback })).rejects.toThrow(/https|credentials|Invalid URL/)
})

test('a library gets the answer like that of fetch', async () => {
  const { origin, requests } = await startServer(({ url }, response) => {
    if (url === '/empty') response.writeHead(204).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}')
  })
  const request = fetchWith(local)
  const body = new URLSearchParams({ code: 'x' })
  const answer = await request(`${origin}/`, { method: 'POST', headers: { accept: '*/*' }, body })
  expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toEqual([
    200,
    'application/json',
    { a: 1 },
  ])
  expect(requests[0]?.body).toBe('code=x')
  expect((await request(`${origin}/empty`, { method: 'GET', headers: {} })).status).toBe(204)
})
