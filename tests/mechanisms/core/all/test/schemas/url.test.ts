import { expect, test } from 'vitest'
import { z } from 'zod'
import { urlNumber } from '../../src/schemas/text.ts'
import { shareTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const app = await shareTestApp()
const querystring = z.strictObject({ limit: urlNumber({ max: 100 }).default(20) })
app.get('/rows', { schema: { querystring } }, async (request) => request.query)

const read = (query: Record<string, string | string[]>) => app.inject({ url: '/rows', query })

test('numbers reach the handler as numbers', async () => {
  expect((await read({})).json()).toEqual({ limit: 20 })
  expect((await read({ limit: '100' })).json()).toEqual({ limit: 100 })
})

// A number that is rounded would name another row, and a negative limit means all rows in some databases.
test.each(['', '0', '101', '-1', '+1', '1.5', '1e2', '0x10', '01', ' 1', '١', 'NaN', '9007199254740993'])(
  'the limit %j is refused',
  async (limit) => {
    expectProblem(await read({ limit }), 'validation_failed')
  },
)

test('a parameter that is sent twice is refused', async () => {
  expectProblem(await read({ limit: ['1', '2'] }), 'validation_failed')
})

test('an id is positive, and has at most 15 digits', () => {
  expect(urlNumber().parse('999999999999999')).toBe(999_999_999_999_999)
  for (const id of ['0', '1000000000000000', '-1']) expect(urlNumber().safeParse(id).success).toBe(false)
  expect(urlNumber({ min: 0 }).parse('0')).toBe(0)
})
