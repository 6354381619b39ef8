import { expect, test } from 'vitest'
import { z } from 'zod'
import { createCursor, urlNumber } from '../../src/schemas/url.ts'
import { shareTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const app = await shareTestApp()
const cursor = createCursor(z.tuple([z.int().positive(), z.string().max(20)]))
const querystring = z.strictObject({
  limit: urlNumber({ max: 100 }).default(20),
  cursor: cursor.schema.optional(),
})
app.get('/rows', { schema: { querystring } }, async (request) => request.query)

const read = (query: Record<string, string | string[]>) => app.inject({ url: '/rows', query })

test('numbers and cursors reach the handler with their types', async () => {
  expect((await read({})).json()).toEqual({ limit: 20 })
  const response = await read({ limit: '100', cursor: cursor.of([7, 'Zoë/+']) })
  expect(response.json()).toEqual({ limit: 100, cursor: [7, 'Zoë/+'] })
})

test('a cursor needs no escape in a URL', () => {
  expect(cursor.of([999_999, '~~??>>ÿÿ'])).toMatch(/^[\w-]+$/)
})

// A number that is rounded would name another row, and a negative limit means all rows in some databases.
test.each(['', '0', '101', '-1', '+1', '1.5', '1e2', '0x10', '01', ' 1', '١', 'NaN', '9007199254740993'])(
  'the limit %j is refused',
  async (limit) => {
    expectProblem(await read({ limit }), 'validation_failed')
  },
)

// Clients can make a cursor up. Without a check, it would reach the query with any type.
test.each([
  '',
  'made-up',
  '🙂',
  'null',
  ...[
    '',
    'null',
    '{}',
    '[]',
    '[1]',
    '["1","a"]',
    '[-1,"a"]',
    '[1,"a",2]',
    '{"__proto__":[1,"a"]}',
    '[1,{"toString":1}]',
  ].map((json) => Buffer.from(json).toString('base64url')),
  Buffer.from(JSON.stringify([1, 'a'.repeat(21)])).toString('base64url'),
  'A'.repeat(513),
])('the cursor %j is refused', async (made) => {
  expectProblem(await read({ cursor: made }), 'validation_failed')
})

test('a parameter that is sent twice is refused', async () => {
  for (const name of ['limit', 'cursor'])
    expectProblem(await read({ [name]: ['1', '2'] }), 'validation_failed')
})

test('an id is positive, and has at most 15 digits', () => {
  expect(urlNumber().parse('999999999999999')).toBe(999_999_999_999_999)
  for (const id of ['0', '1000000000000000', '-1']) expect(urlNumber().safeParse(id).success).toBe(false)
  expect(urlNumber({ min: 0 }).parse('0')).toBe(0)
})
