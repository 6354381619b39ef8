import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { connect, type Database, openDatabase } from '../../src/db/database.ts'
import { id, isUnavailable, isUniqueViolation, table, text } from '../../src/db/dialect.ts'
import { createTestApp } from '../support/app.ts'
import { temporaryDatabase } from '../support/database.ts'
import { expectProblem } from '../support/problem.ts'
import { testSettings } from '../support/settings.ts'

const items = table('items', { id: id(), name: text('name').notNull().unique() })

let file: string
let db: Database

beforeEach(async () => {
  const database = await temporaryDatabase()
  file = database.url.slice('file:'.length)
  // Without a timeout, a query on a locked database fails immediately.
  db = openDatabase({ file, busyTimeoutMs: 0 })
  await db.transaction(async (tx) => void tx.run(sql`CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)`))
  await db.transaction(async (tx) => void tx.run(sql`CREATE UNIQUE INDEX items_name ON items (lower(name))`))
  onTestFinished(async () => {
    await db.close()
    await database.remove()
  })
})

const add = (name: string) => db.transaction(async (tx) => void (await tx.insert(items).values({ name })))
const names = async () => (await db.read.select().from(items)).map(({ name }) => name)
const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error)

describe('a transaction', () => {
  test('that fails is rolled back and does not stay open', async () => {
    const failed = db.transaction(async (tx) => {
      await tx.insert(items).values({ name: 'lost' })
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(await names()).toEqual([])
    await add('next')
    expect(await names()).toEqual(['next'])
  })

  test('whose code catches the error of a query still rejects with it, and writes nothing', async () => {
    await add('one')
    const failed = db.transaction(async (tx) => {
      await tx.insert(items).values({ name: 'two' })
      await failure(tx.insert(items).values({ name: 'one' }))
    })
    expect(isUniqueViolation(await failure(failed), 'items_name')).toBe(true)
    expect(await names()).toEqual(['one'])
  })

  test('is visible to readers only after the commit', async () => {
    await db.transaction(async (tx) => {
      await tx.insert(items).values({ name: 'first' })
      expect(await names()).toEqual([])
      await tx.insert(items).values({ name: 'second' })
    })
    expect(await names()).toEqual(['first', 'second'])
  })

  test('waits for the previous one, so two are never mixed', async () => {
    const steps: string[] = []
    const run = (label: string) =>
      db.transaction(async (tx) => {
        steps.push(`${label} begins`)
        await tx.insert(items).values({ name: label })
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
        steps.push(`${label} ends`)
      })
    await Promise.all([run('a'), run('b'), run('c')])
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  test('that fails does not affect others', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.insert(items).values({ name: 'lost' })
      throw new Error('failed')
    })
    const results = await Promise.allSettled([add('before'), failing, add('after')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await names()).toEqual(['before', 'after'])
  })

  test('finishes before the database closes', async () => {
    const written = add('last')
    await db.close()
    await written
    const connection = connect({ file, busyTimeoutMs: 0 })
    expect(connection.prepare('SELECT name FROM items').pluck().all()).toEqual(['last'])
    connection.close()
  })
})

describe('a database is not ready', () => {
  test('if a table is missing', async () => {
    await expect(db.ping([items])).resolves.toBeUndefined()
    await expect(db.ping([items, table('lost', { id: id() })])).rejects.toThrow('no such table: lost')
  })

  test('if its file was overwritten', async () => {
    await add('cached')
    // Moves the rows out of the -wal file.
    const other = connect({ file, busyTimeoutMs: 0 })
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    expect(await names()).toEqual(['cached'])
    await writeFile(file, 'x'.repeat(10_000))
    await expect(db.ping([items])).rejects.toThrow('file is not a database')
  })

  test('if its file was deleted', async () => {
    await rm(file)
    await expect(db.ping([items])).rejects.toThrow('unable to open database file')
  })
})

test('writes outside a transaction are rejected', () => {
  const write = () => (db.read as unknown as { run(query: unknown): void }).run(sql`DELETE FROM items`)
  expect(write).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ code: 'SQLITE_READONLY' }) }),
  )
})

test('a unique violation is distinguished from other errors', async () => {
  await add('one')
  const error = await failure(add('one'))
  expect(isUniqueViolation(error, 'items_other', 'items_name')).toBe(true)
  expect(isUniqueViolation(error, 'items_other')).toBe(false)
  expect(isUniqueViolation(new Error('items_name'), 'items_name')).toBe(false)
  expect(isUnavailable(error)).toBe(false)
})

test('a request gets 503 if another process holds the lock', async () => {
  const other = connect({ file, busyTimeoutMs: 0 })
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  const error = await failure(add('late'))
  expect(isUnavailable(error)).toBe(true)
  const app = await createTestApp()
  app.get('/locked', async () => {
    throw error
  })
  const response = await app.inject({ url: '/locked' })
  expectProblem(response, 'unavailable')
  expect(response.headers['retry-after']).toBe('1')
})

test.each([
  [true, 2],
  [false, 1],
])('a transaction that is durable (%j) has the level of synchronous %i', async (durable, synchronous) => {
  const read = db.transaction(async (tx) => tx.get(sql`PRAGMA synchronous`), { durable })
  expect(await read).toEqual({ synchronous })
})

test('a commit waits for the disk, and foreign keys are enforced', () => {
  const connection = connect({ file, busyTimeoutMs: 0 })
  onTestFinished(() => void connection.close())
  const settings = ['journal_mode', 'synchronous', 'foreign_keys'].map((name) =>
    connection.pragma(name, { simple: true }),
  )
  expect(settings).toEqual(['wal', 2, 1])
})

describe('DATABASE_URL', () => {
  const load = (url: string) => loadConfig({ ...testSettings, DATABASE_URL: url }).database.file

  test('accepts an absolute path, and one relative to the working directory', () => {
    expect(load('file:data/app.db')).toBe(join(process.cwd(), 'data/app.db'))
    expect(load('file:/var/lib/app.db')).toBe('/var/lib/app.db')
    expect(load('file:///var/lib/my%20app.db')).toBe('/var/lib/my app.db')
  })

  test.each(['data/app.db', 'file:', ':memory:', 'file::memory:', 'postgres://localhost/app'])(
    'rejects %s',
    (url) => {
      expect(() => load(url)).toThrow(/^DATABASE_URL must be file: and a path/)
    },
  )
})
