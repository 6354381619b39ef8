import { describe, expect, test } from 'vitest'
import { createTestApp, shareTestApp } from '../support/app.ts'
import { openConnection } from '../support/connection.ts'

async function appWithLog() {
  const lines: string[] = []
  const app = await createTestApp({}, { level: 'trace', stream: { write: (line) => void lines.push(line) } })
  return { app, lines }
}

test.each(['/a%0d%0a{"level":30,"msg":"forged"}', '/a%E2%80%A8b', '/a"}%00{"msg":"forged"'])(
  'a request writes one log entry on one line, even with the path %s',
  async (url) => {
    const { app, lines } = await appWithLog()
    await app.inject({ url })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.match(/[\r\n\u2028]/g)).toEqual(['\n'])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'request', status: 404 })
  },
)

test('the log does not contain query, headers or body', async () => {
  const { app, lines } = await appWithLog()
  const secret = 'Top-Secret-4711'
  await app.inject({
    method: 'POST',
    url: `/nowhere?token=${secret}`,
    headers: {
      authorization: `Bearer ${secret}`,
      cookie: secret,
      'x-request-id': secret,
      'user-agent': secret,
    },
    body: { password: secret },
  })
  expect(lines).toHaveLength(1)
  expect(lines.join('')).not.toContain(secret)
})

// A proxy that is misconfigured, or a client, can send the absolute form, with a password before the host.
test.each([
  ['http://user:Secret-4711@localhost/nowhere?token=Secret-4711', 404, '/nowhere'],
  ['HTTPS://user:Secret-4711@localhost', 404, '/'],
  ['http://user:Secret-4711@localhost?Secret-4711', 404, '/'],
  ['http://user:Secret-4711@localhost/nowhere#Secret-4711', 400, '/nowhere'],
  ['http:///user:Secret-4711@localhost/nowhere', 400, '/nowhere'],
  ['ftp://user:Secret-4711@localhost/%zz', 400, '/%zz'],
  ['/nowhere#Secret-4711', 404, '/nowhere'],
  ['//localhost/http://nowhere', 404, '//localhost/http://nowhere'],
])('only the path of the target %s is logged and sent back', async (target, status, path) => {
  const { app, lines } = await appWithLog()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const connection = await openConnection(app)
  connection.send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  const response = await connection.end()
  expect(response).toContain(`HTTP/1.1 ${status} `)
  expect(response).toContain(`"instance":"${path}"`)
  const [entry] = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  expect(entry?.path ?? path).toBe(path)
  expect(lines.join('') + response).not.toContain('Secret-4711')
})

describe('the id of a request', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await shareTestApp({}, { level: 'info', stream })

  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const valid = `00-${traceId}-00f067aa0ba902b7-01`
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

  async function idOf(traceparent: string | string[]) {
    lines.length = 0
    const response = await app.inject({ url: '/nowhere', headers: { traceparent } as never })
    const id = response.headers['x-request-id']
    expect(response.json().request_id).toBe(id)
    expect(JSON.parse(lines[0] ?? '').reqId).toBe(id)
    return String(id)
  }

  test('starts with the trace id of a valid traceparent', async () => {
    expect(await idOf(valid)).toMatch(new RegExp(`^${traceId}-[0-9a-f]{16}$`))
    expect(await idOf(valid.replace(/01$/, '00'))).toMatch(new RegExp(`^${traceId}-`))
  })

  // A client could give its request the id of another one, and a search of the log would find both.
  test('is not chosen by a client as a whole', async () => {
    const ids = [await idOf(valid), await idOf(valid), await idOf(valid)]
    expect(new Set(ids).size).toBe(3)
  })

  // A longer or other text could forge log entries, or fill the log.
  test.each([
    '',
    traceId,
    `${valid}-extra`,
    `${valid} `,
    `${valid}\t`,
    `${valid}, ${valid}`,
    valid.repeat(100),
    valid.toUpperCase(),
    valid.replace('00-', 'ff-'),
    valid.replace('00-', '01-'),
    valid.replace(traceId, '0'.repeat(32)),
    valid.replace('00f067aa0ba902b7', '0'.repeat(16)),
    valid.replace('4bf9', '{"a"'),
  ])('ignores the traceparent %j', async (traceparent) => {
    expect(await idOf(traceparent)).toMatch(uuid)
  })
})
