import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

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
