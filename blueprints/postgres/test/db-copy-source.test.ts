import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { beginEmpty, copyRows } from '../src/commands/db-copy/copy.ts'
import { openSource } from '../src/commands/db-copy/source.ts'
import { connect } from '../src/db/database.ts'
import { temporaryDatabase } from './database.ts'
import { type CopyTestTarget, copyTestTarget } from './db-copy-target.ts'
import { testServer } from './server.ts'

test('a server that does not answer is an error that says so, without the password', async () => {
  const opened = openSource('postgres://me:geheim@127.0.0.1:1/app', () => {})
  const error = await opened.catch((reason: Error) => reason.message)
  expect(error).toMatch(/^Cannot open the database to copy from: .*ECONNREFUSED/)
  expect(error).not.toContain('geheim')
})

// PGlite has one connection: reading and writing at the same time needs a server.
describe.skipIf(testServer === undefined)('from one schema of a server to another', () => {
  let database: CopyTestTarget
  let url: string
  /** Another program that writes to the database while it is copied. */
  let writer: Awaited<ReturnType<typeof connect>>

  beforeEach(async () => {
    database = await copyTestTarget()
    const source = await temporaryDatabase()
    url = source.url
    writer = await connect({ url, poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 0 })
    onTestFinished(async () => {
      await writer.end()
      await source.remove()
    })
  })

  /** Runs the same in both databases. */
  async function runInBoth(statement: string) {
    await writer.query(statement)
    await database.run(statement)
  }

  async function copy(change: () => Promise<unknown> = async () => {}) {
    const source = await openSource(url, () => {})
    const target = await database.open()
    try {
      await change()
      await beginEmpty(target, new Set())
      return await copyRows(source, target, { skip: new Set(), progress: () => {} })
    } finally {
      await target.close()
      await source.close()
    }
  }

  test('every value stays exactly what it is', async () => {
    await runInBoth(`CREATE TYPE mood AS ENUM ('sad', 'glad')`)
    await runInBoth(`CREATE DOMAIN positive AS numeric CHECK (VALUE > 0)`)
    await runInBoth(`CREATE TABLE items (id bigint PRIMARY KEY, at timestamptz, amount numeric, ratio float8, raw bytea, list text[],
      span interval, mood mood, more positive, document jsonb, plain json, twice bigint GENERATED ALWAYS AS (id * 2) STORED, name varchar(3))`)
    await writer.query(`INSERT INTO items VALUES (9007199254740993, '2026-01-31 12:00:00.123456+02', 1.500, 0.1, '\\x00ff', '{a,"b,c",NULL}',
      '1 year 2 days 03:04:05.678', 'glad', 7, '{"b": 1, "a": 2}', '{"b":1,  "a":2}', DEFAULT, 'abc')`)
    await writer.query(
      `INSERT INTO items (id, at, amount, ratio, raw, list) VALUES (2, 'infinity', 'NaN', '-Infinity', '', '{}')`,
    )
    await copy()
    const all = { text: 'SELECT t::text FROM items t ORDER BY id', rowMode: 'array' as const }
    expect(await database.rows(all.text)).toEqual((await writer.query(all)).rows)
  })

  test('all queries see the state of the beginning', async () => {
    await writer.query('CREATE TABLE items AS SELECT 1 AS id')
    const source = await openSource(url, () => {})
    await writer.query('INSERT INTO items VALUES (2)')
    expect(await source.count('items')).toBe(1)
    await source.close()
  })

  test('the last id of a table is carried over, also of one whose rows were deleted', async () => {
    await runInBoth('CREATE TABLE items (id bigserial PRIMARY KEY, value text)')
    await writer.query(`INSERT INTO items (value) VALUES ('a'), ('b')`)
    await writer.query('DELETE FROM items')
    await copy()
    await database.run(`INSERT INTO items (value) VALUES ('c')`)
    expect(await database.rows('SELECT id FROM items')).toEqual([['3']])
  })

  test.each(['INSERT INTO items VALUES (2)', 'UPDATE items SET id = id', 'DELETE FROM items'])(
    'what is written to the source after its beginning is not copied, and the copy is refused: %s',
    async (statement) => {
      await runInBoth('CREATE TABLE items (id bigint)')
      await writer.query('INSERT INTO items VALUES (1)')
      await expect(copy(() => writer.query(statement))).rejects.toThrow('written to meanwhile')
      expect(await database.rows('SELECT count(*) FROM items')).toEqual([['0']])
      const { tables } = await copy()
      const { rowCount } = await writer.query('SELECT FROM items')
      expect(tables.map(({ rows }) => rows)).toEqual([rowCount])
    },
  )

  test('partitions are copied as the table that they belong to', async () => {
    await runInBoth('CREATE TABLE items (id bigint, day date) PARTITION BY RANGE (day)')
    await runInBoth(
      `CREATE TABLE items_2026 PARTITION OF items FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')`,
    )
    await writer.query(`INSERT INTO items VALUES (1, '2026-05-01')`)
    const { tables } = await copy()
    expect(tables.map(({ name, rows }) => [name, rows])).toEqual([['items', 1]])
  })
})
