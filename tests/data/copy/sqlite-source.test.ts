import { statSync } from 'node:fs'
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { openSource } from '../../../src/copy/source.ts'
import type { SqliteConnection } from '../../../src/copy/sqlite-reader.ts'
import { openTarget } from '../../../src/copy/target.ts'
import { copyAll } from './copy-all.ts'
import { newFile, openFile, sqliteDriver } from './sqlite-database.ts'
import { type CopyTestTarget, copyTestTarget } from './target.ts'

let database: CopyTestTarget
let file: string
/** A second connection that writes to the source during the copy. */
let writer: SqliteConnection

beforeEach(async () => {
  database = await copyTestTarget('sqlite')
  file = newFile('old data.db')
  writer = openFile(inject('modules'), file)
  onTestFinished(() => void writer.close())
})

const open = (path: string) => openSource(sqliteDriver(inject('modules')), { kind: 'sqlite', file: path })

/** Runs a statement in both databases. */
async function runInBoth(statement: string) {
  writer.exec(statement)
  await database.run(statement)
}

async function copy(change: () => void = () => {}) {
  const source = await open(file)
  try {
    return await copyAll(source, database, [], (target) => {
      change()
      return target
    })
  } finally {
    await source.close()
  }
}

test('every value is copied exactly between two files, in any column', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY, value)')
  writer.exec(`INSERT INTO items (value) VALUES (1), (1.0), ('1'), (x'31'), (NULL), (9223372036854775807), (0.1), (1e300),
    (''), (x''), ('a' || char(0) || 'b'), (char(65533)), (-9223372036854775808), ('😀')`)
  const all = 'SELECT typeof(value), hex(value), quote(value) FROM items ORDER BY id'
  await copy()
  expect(await database.rows(all)).toEqual(writer.prepare(all).raw().all())
})

test('keys of several columns, computed columns, views and virtual tables are supported', async () => {
  await runInBoth('CREATE TABLE pairs (a TEXT, b TEXT, c AS (a || b), PRIMARY KEY (b, a)) WITHOUT ROWID')
  await runInBoth('CREATE VIEW everything AS SELECT * FROM pairs')
  await runInBoth('CREATE VIRTUAL TABLE search USING fts5(text)')
  writer.exec(`INSERT INTO pairs VALUES ('x', 'y')`)
  const { tables } = await copy()
  expect(tables.map(({ name, rows }) => [name, rows])).toEqual([['pairs', 1]])
  expect(await database.rows('SELECT * FROM everything')).toEqual([['x', 'y', 'xy']])
})

test('text that is not UTF-8 is refused with its row id, even if another row stores U+FFFD itself', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT)')
  writer.exec(`INSERT INTO items (value) VALUES (char(65533)), (CAST(x'ff' AS TEXT))`)
  await expect(copy()).rejects.toThrow('items, id 2: value contains bytes that are not UTF-8')
  expect(await database.rows('SELECT count(*) FROM items')).toEqual([['0']])
})

test('a write to the source after the start is not copied, and the copy is refused', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY)')
  await expect(copy(() => writer.exec('INSERT INTO items VALUES (1)'))).rejects.toThrow(
    'changed during the copy',
  )
  expect(await database.rows('SELECT count(*) FROM items')).toEqual([['0']])
  await copy()
  expect(await database.rows('SELECT id FROM items')).toEqual([['1']])
})

test('all queries read the state at the start', async () => {
  writer.exec('CREATE TABLE items (id INTEGER PRIMARY KEY); INSERT INTO items VALUES (1)')
  const source = await open(file)
  writer.exec('INSERT INTO items VALUES (2)')
  expect(await source.count('items')).toBe(1)
  await source.close()
})

test('the last id of a table is carried over even if its rows were deleted', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY AUTOINCREMENT, value)')
  writer.exec('INSERT INTO items (id) VALUES (41); DELETE FROM items')
  await copy()
  await database.run('INSERT INTO items (value) VALUES (1)')
  expect(await database.rows('SELECT id FROM items')).toEqual([['42']])
})

test('a file that is missing or not a database is an error with the cause', async () => {
  await expect(open(`${file}.not`)).rejects.toThrow(/^Cannot open the database to copy from: /)
  await expect(open(import.meta.filename)).rejects.toThrow('file is not a database')
})

test('no other account of the machine can read a new target: it contains all password hashes', async () => {
  const path = newFile('new.db')
  const target = await openTarget(sqliteDriver(inject('modules')), { kind: 'sqlite', file: path })
  await target.begin()
  const modes = ['', '-wal', '-shm'].map((end) => statSync(path + end).mode & 0o777)
  await target.close()
  expect(modes).toEqual([0o600, 0o600, 0o600])
})

test('a target that another connection writes to is refused', async () => {
  await runInBoth('CREATE TABLE items (id INTEGER PRIMARY KEY)')
  await database.run('BEGIN IMMEDIATE')
  await expect(copy()).rejects.toThrow(/^Another process writes to the target/)
})
