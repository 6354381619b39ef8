import { expect, test } from 'vitest'
import { shareTestApp } from '../support/app.ts'

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

test('the id of a request starts with the trace id of a valid traceparent', async () => {
  expect(await idOf(valid)).toMatch(new RegExp(`^${traceId}-[0-9a-f]{16}$`))
  expect(await idOf(valid.replace(/01$/, '00'))).toMatch(new RegExp(`^${traceId}-`))
})

// A client could give its request the id of another one, and a search of the log would find both.
test('a client does not choose the whole id', async () => {
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
])('the traceparent %j is ignored', async (traceparent) => {
  expect(await idOf(traceparent)).toMatch(uuid)
})
