import { expect, it } from 'vitest'
import { appliedOnPostgres, postgresReader } from '../../../src/copy/postgres-reader.ts'

type Rows = (string | null)[][]

it('a database without the table of migrations has applied none', async () => {
  const queries: string[] = []
  const query = async (text: string): Promise<Rows> => {
    queries.push(text)
    return [[null]]
  }
  expect(await appliedOnPostgres(query)).toEqual([])
  expect(queries).toHaveLength(1)
})

it('the table of migrations is not copied', async () => {
  const columns = [
    ['__drizzle_migrations', 'id', 'integer', 'false', 'true'],
    ['users', 'id', 'bigint', 'false', 'true'],
    ['users', 'initial', 'text', 'true', 'false'],
  ]
  expect(await postgresReader(async () => columns).tables()).toEqual([
    {
      name: 'users',
      columns: [
        { name: 'id', type: 'bigint', isGenerated: false },
        { name: 'initial', type: 'text', isGenerated: true },
      ],
      key: ['id'],
    },
  ])
})

it.each([
  ['short', 10, 1_000],
  ['long', 1_000_000, 3],
  ['longer than a batch', 9_000_000, 1],
])('rows that are %s: their size decides how many are read at a time', async (_, length, expected) => {
  const limits: number[] = []
  const query = async (text: string): Promise<Rows> => {
    const limit = Number(/^FETCH (\d+)/.exec(text)?.[1] ?? 0)
    if (limit > 0) limits.push(limit)
    return limit > 0 && limits.length < 3 ? [['x'.repeat(length)]] : []
  }
  const table = { name: 'notes', columns: [{ name: 'body', type: 'text', isGenerated: false }], key: [] }
  for await (const rows of postgresReader(query).rows(table, ['body'])) expect(rows).toHaveLength(1)
  expect(limits).toEqual([10, expected, expected])
})
