import { expect, test } from 'vitest'
import { z } from 'zod'
import { cursor, cursorOf } from '../../src/schemas/cursor.ts'
import { shareTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const app = await shareTestApp()
const querystring = z.strictObject({ cursor: cursor.optional() })
app.get('/rows', { schema: { querystring } }, async (request) => request.query)

const read = (query: Record<string, string | string[]>) => app.inject({ url: '/rows', query })

test('a cursor needs no escape in a URL, and reaches the handler as an id', async () => {
  expect(cursorOf(999_999_999_999_999)).toMatch(/^[\w-]+$/)
  expect((await read({ cursor: cursorOf(7) })).json()).toEqual({ cursor: 7 })
})

// Clients can make a cursor up. Without a check, it would reach the query with any type.
test.each([
  '',
  'made-up',
  '🙂',
  ...['', 'null', '{}', '[1]', '-1', '0', '1.5', '1e3', '"1"', '1000000000000000'].map((text) =>
    Buffer.from(text).toString('base64url'),
  ),
  'A'.repeat(65),
])('the cursor %j is refused', async (made) => {
  expectProblem(await read({ cursor: made }), 'validation_failed')
})

test('a cursor that is sent twice is refused', async () => {
  expectProblem(await read({ cursor: [cursorOf(1), cursorOf(2)] }), 'validation_failed')
})
