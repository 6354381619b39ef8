import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { openConnection } from '../support/connection.ts'

const head = 'HTTP/1.1\r\nHost: service\r\n'

test.each([
  ['data that is not HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
  ['a NUL in a header', `GET / ${head}X-A: a\u0000b\r\n\r\n`, 400, 'bad_request'],
  // If proxy and service disagree on the length, a second request can hide in the body (request smuggling).
  [
    'a request with two lengths',
    `POST / ${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'bad_request',
  ],
  // A proxy could apply its rules to one and the service read the other.
  ['a request with two hosts', `GET /health/live ${head}hOST: other\r\n\r\n`, 400, 'bad_request'],
  ['a request without a host', 'GET /health/live HTTP/1.1\r\n\r\n', 400, 'bad_request'],
  ['20 KiB of headers', `GET / ${head}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
])('%s gets a standard error, and the connection is closed', async (_case, request, status, code) => {
  const app = await createTestApp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = await openConnection(app)
  client.send(request)
  const [headers = '', body = ''] = (await client.end()).split('\r\n\r\n')
  expect(headers).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(headers).toContain('\r\ncache-control: no-store\r\n')
  expect(headers).toContain('\r\nx-content-type-options: nosniff\r\n')
  expect(JSON.parse(body)).toMatchObject({ status, code, request_id: expect.any(String) })
})

// Node.js would answer both itself, without the headers that keep answers out of caches.
test.each([
  ['HTTP/1.0 without a host', 'GET /health/live HTTP/1.0\r\n\r\n'],
  ['an unknown expectation', `GET /health/live ${head}Expect: x\r\nConnection: close\r\n\r\n`],
])('%s is answered like any request', async (_case, request) => {
  const app = await createTestApp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = await openConnection(app)
  client.send(request)
  const answer = await client.end()
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).toContain('\r\ncache-control: no-store\r\n')
})
