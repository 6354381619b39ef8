import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { connectPostgres, type PostgresQuery } from '../../../src/copy/postgres-connection.ts'
import { openSource } from '../../../src/copy/source.ts'
import { openTarget } from '../../../src/copy/target.ts'
import { findPooler, startPooler } from '../../support/pooler.js'
import { copyAll } from './copy-all.ts'
import { newRole, newSchema, postgresDriver, testServer } from './postgres-database.ts'
import { type CopyTestTarget, copyTestTarget } from './target.ts'

const open = (url: string) => openSource(postgresDriver(inject('modules')), { kind: 'postgres', url })

test('a connection error names the cause without the password', async () => {
  const error = await open('postgres://me:geheim@127.0.0.1:1/app').catch((reason: Error) => reason.message)
  expect(error).toMatch(/^Cannot open the database to copy from: .*ECONNREFUSED/)
  expect(error).not.toContain('geheim')
})

// PGlite has one connection, and these tests read and write at the same time.
describe.skipIf(testServer === undefined)('from one schema of a server to another', () => {
  let database: CopyTestTarget
  let url: string
  /** A second connection that writes to the source during the copy. */
  let query: PostgresQuery

  beforeEach(async () => {
    database = await copyTestTarget('postgres')
    url = await newSchema(inject('modules'), testServer ?? '')
    const writer = await connectPostgres(postgresDriver(inject('modules')), url)
    query = writer.query
    onTestFinished(writer.close)
  })

  /** Runs a statement in both databases. */
  async function runInBoth(statement: string) {
    await query(statement)
    await database.run(statement)
  }

  async function copy(change: () => Promise<unknown> = async () => {}) {
    const source = await open(url)
    try {
      await change()
      return await copyAll(source, database)
    } finally {
      await source.close()
    }
  }

  test('every value is copied exactly', async () => {
    await runInBoth(`CREATE TYPE mood AS ENUM ('sad', 'glad')`)
    await runInBoth(`CREATE DOMAIN positive AS numeric CHECK (VALUE > 0)`)
    await runInBoth(`CREATE TABLE items (id bigint PRIMARY KEY, at timestamptz, amount numeric, ratio float8, raw bytea, list text[],
      span interval, mood mood, more positive, document jsonb, plain json, twice bigint GENERATED ALWAYS AS (id * 2) STORED, name varchar(3))`)
    await query(`INSERT INTO items VALUES (9007199254740993, '2026-01-31 12:00:00.123456+02', 1.500, 0.1, '\\x00ff', '{a,"b,c",NULL}',
      '1 year 2 days 03:04:05.678', 'glad', 7, '{"b": 1, "a": 2}', '{"b":1,  "a":2}', DEFAULT, 'abc')`)
    await query(
      `INSERT INTO items (id, at, amount, ratio, raw, list) VALUES (2, 'infinity', 'NaN', '-Infinity', '', '{}')`,
    )
    await copy()
    const all = 'SELECT t::text FROM items t ORDER BY id'
    expect(await database.rows(all)).toEqual(await query(all))
  })

  test('all queries read the state at the start', async () => {
    await query('CREATE TABLE items AS SELECT 1 AS id')
    const source = await open(url)
    await query('INSERT INTO items VALUES (2)')
    expect(await source.count('items')).toBe(1)
    await source.close()
  })

  test('the last id of a table is carried over even if its rows were deleted', async () => {
    await runInBoth('CREATE TABLE items (id bigserial PRIMARY KEY, value text)')
    await query(`INSERT INTO items (value) VALUES ('a'), ('b')`)
    await query('DELETE FROM items')
    await copy()
    await database.run(`INSERT INTO items (value) VALUES ('c')`)
    expect(await database.rows('SELECT id FROM items')).toEqual([['3']])
  })

  test.each(['INSERT INTO items VALUES (2)', 'UPDATE items SET id = id', 'DELETE FROM items'])(
    'a write to the source after the start is not copied, and the copy is refused: %s',
    async (statement) => {
      await runInBoth('CREATE TABLE items (id bigint)')
      await query('INSERT INTO items VALUES (1)')
      await expect(copy(() => query(statement))).rejects.toThrow('changed during the copy')
      expect(await database.rows('SELECT count(*) FROM items')).toEqual([['0']])
      const { tables } = await copy()
      const [[count] = []] = await query('SELECT count(*)::text FROM items')
      expect(tables.map(({ rows }) => String(rows))).toEqual([count])
    },
  )

  test('partitions are copied as part of their table', async () => {
    await runInBoth('CREATE TABLE items (id bigint, day date) PARTITION BY RANGE (day)')
    await runInBoth(
      `CREATE TABLE items_2026 PARTITION OF items FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')`,
    )
    await query(`INSERT INTO items VALUES (1, '2026-05-01')`)
    const { tables } = await copy()
    expect(tables.map(({ name, rows }) => [name, rows])).toEqual([['items', 1]])
  })

  describe('a pooler', () => {
    const found = findPooler()
    /** The address of the source through PgBouncer in transaction mode. */
    async function throughPooler() {
      if ('missing' in found) throw new Error(found.missing)
      const folder = mkdtempSync(join(inject('drafts'), 'pooler-'))
      // It drops `options`, which selects the schema.
      const settings = { ignore_startup_parameters: 'options' }
      const pooler = await startPooler(found.program, testServer ?? '', { folder, size: 1, settings })
      onTestFinished(() => pooler.stop())
      return pooler.urlOf(url)
    }

    test.skipIf('missing' in found)('is refused before a setting reaches its other clients', async () => {
      const pooled = await throughPooler()
      const refused = {
        code: 'refused',
        message: expect.stringMatching(/^Cannot open .*: The address leads to a pooler[^\n]*$/),
      }
      await expect(open(pooled)).rejects.toMatchObject(refused)
      const address = { kind: 'postgres', url: pooled } as const
      await expect(openTarget(postgresDriver(inject('modules')), address)).rejects.toMatchObject(refused)
      const other = await connectPostgres(postgresDriver(inject('modules')), pooled)
      const [timeout] = await other.query(`SELECT current_setting('lock_timeout')`)
      await other.close()
      expect(timeout).toEqual(['0'])
    })
  })

  describe('row-level security', () => {
    /** The address for the owner of the table `items`, whose policy hides 6 of 10 rows from everyone it applies to. */
    async function withHiddenRows(force: 'FORCE' | 'NO FORCE'): Promise<string> {
      const role = await newRole(inject('modules'), testServer ?? '')
      await query('CREATE TABLE items AS SELECT id FROM generate_series(1, 10) AS id')
      await query('CREATE POLICY few ON items USING (id <= 4)')
      await query(
        `ALTER TABLE items ENABLE ROW LEVEL SECURITY, ${force} ROW LEVEL SECURITY, OWNER TO ${role}`,
      )
      const [[schema] = []] = await query('SELECT current_schema()::text')
      await query(`GRANT ALL ON SCHEMA ${schema} TO ${role}`)
      const address = new URL(url)
      address.searchParams.set('options', `${address.searchParams.get('options')} -c role=${role}`)
      return address.href
    }
    const refused = {
      code: 'refused',
      message: expect.stringMatching(
        /^Cannot .*: Row-level security hides rows of items from this account\. Use .*$/,
      ),
    }

    test('a source that would show only some of its rows is refused', async () => {
      await expect(open(await withHiddenRows('FORCE'))).rejects.toMatchObject(refused)
    })

    test('a target whose rows it hides is refused', async () => {
      const address = { kind: 'postgres', url: await withHiddenRows('FORCE') } as const
      await expect(openTarget(postgresDriver(inject('modules')), address)).rejects.toMatchObject(refused)
    })

    test('that starts to apply after the check fails the copy', async () => {
      const address = await withHiddenRows('NO FORCE')
      const { Client } = postgresDriver(inject('modules'))
      class LateClient extends Client {
        override async query(sent: Parameters<InstanceType<typeof Client>['query']>[0]) {
          if (sent.text.startsWith('BEGIN')) await query('ALTER TABLE items FORCE ROW LEVEL SECURITY')
          return super.query(sent)
        }
      }
      const opened = openSource({ Client: LateClient }, { kind: 'postgres', url: address })
      onTestFinished(() =>
        opened.then(
          (source) => source.close(),
          () => {},
        ),
      )
      await expect(opened).rejects.toThrow(
        'query would be affected by row-level security policy for table "items"',
      )
    })

    test('does not matter for an account that sees all rows', async () => {
      const source = await open(await withHiddenRows('NO FORCE'))
      expect(await source.count('items')).toBe(10)
      await source.close()
    })
  })
})
