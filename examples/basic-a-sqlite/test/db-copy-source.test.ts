import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { beginEmpty, copyRows } from '../src/commands/db-copy/copy.ts'
import { openSource } from '../src/commands/db-copy/source.ts'
import { connect } from '../src/db/database.ts'
import { type CopyTestTarget, copyTestTarget } from './db-copy-target.ts'

let database: CopyTestTarget
let file: string
/** Another program that writes to the database while it is copied. */
let writer: ReturnType<typeof connect>

beforeEach(async () => {
  database = await copyTestTarget()
  const folder = await mkdtemp(join(tmpdir(), 'test-source-'))
  file = join(folder, 'old data.db')
  writer = connect({ file, busyTimeoutMs: 0 })
  onTestFinished(async () => {
    writer.close()
    await rm(folder, { recursive: true })
  })
})

/** Runs the same in both databases. */
async function runInBoth(statement: string) {
  writer.exec(statement)
  await database.run(statement)
}

async function copy(change: () => void = () => {}) {
  const source = await openSource(`file:${file}`, () => {})
  const target = await database.open()
  try {
    change()
    await beginEmpty(target, new Set())
    return await copyRows(source, target, { skip: new Set(), progress: () => {} })
  } finally {
    await target.close()
    await source.close()
  }
}

test('between two files every value stays exactly what it is, in any column', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY, value)')
  writer.exec(`INSERT INTO items (value) VALUES (1), (1.0), ('1'), (x'31'), (NULL), (9223372036854775807), (0.1), (1e300),
    (''), (x''), ('a' || char(0) || 'b'), (char(65533)), (-9223372036854775808), ('😀')`)
  const all = 'SELECT typeof(value), hex(value), quote(value) FROM items ORDER BY id'
  await copy()
  expect(await database.rows(all)).toEqual(writer.prepare(all).raw().all())
})

test('keys of several columns, computed columns, views and search tables are no hindrance', async () => {
  await runInBoth('CREATE TABLE pairs (a TEXT, b TEXT, c AS (a || b), PRIMARY KEY (b, a)) WITHOUT ROWID')
  await runInBoth('CREATE VIEW everything AS SELECT * FROM pairs')
  await runInBoth('CREATE VIRTUAL TABLE search USING fts5(text)')
  writer.exec(`INSERT INTO pairs VALUES ('x', 'y')`)
  const { tables } = await copy()
  expect(tables.map(({ name, rows }) => [name, rows])).toEqual([['pairs', 1]])
  expect(await database.rows('SELECT * FROM everything')).toEqual([['x', 'y', 'xy']])
})

test('text that is not UTF-8 is refused with its place, also where another row has the character that stands for it', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT)')
  writer.exec(`INSERT INTO items (value) VALUES (char(65533)), (CAST(x'ff' AS TEXT))`)
  await expect(copy()).rejects.toThrow('items, id 2: value holds bytes that are not UTF-8')
  expect(await database.rows('SELECT count(*) FROM items')).toEqual([['0']])
})

test('what is written to the source after its beginning is not copied, and the copy is refused', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY)')
  await expect(copy(() => writer.exec('INSERT INTO items VALUES (1)'))).rejects.toThrow(
    'written to meanwhile',
  )
  expect(await database.rows('SELECT count(*) FROM items')).toEqual([['0']])
  await copy()
  expect(await database.rows('SELECT id FROM items')).toEqual([['1']])
})

test('all queries see the state of the beginning', async () => {
  writer.exec('CREATE TABLE items (id INTEGER PRIMARY KEY); INSERT INTO items VALUES (1)')
  const source = await openSource(`file:${file}`, () => {})
  writer.exec('INSERT INTO items VALUES (2)')
  expect(await source.count('items')).toBe(1)
  await source.close()
})

test('the last id of a table is carried over, also of one whose rows were deleted', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY AUTOINCREMENT, value)')
  writer.exec('INSERT INTO items (id) VALUES (41); DELETE FROM items')
  await copy()
  await database.run('INSERT INTO items (value) VALUES (1)')
  expect(await database.rows('SELECT id FROM items')).toEqual([['42']])
})

test('a file that is missing, or no database, is an error that says so', async () => {
  const open = (path: string) => openSource(`file:${path}`, () => {})
  await expect(open(`${file}.not`)).rejects.toThrow(/^Cannot open the database to copy from: /)
  await expect(open(import.meta.filename)).rejects.toThrow('file is not a database')
})

test('only one may write to the target', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY)')
  await database.run('BEGIN IMMEDIATE')
  await expect(copy()).rejects.toThrow(/^Something else writes to the target/)
})
