import { sql } from 'drizzle-orm'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { connect, type Database, openDatabase, type Transaction } from '../../src/db/database.ts'
import { id, table, text } from '../../src/db/dialect.ts'
import { temporaryDatabase } from '../support/database.ts'

const items = table('items', { id: id(), name: text('name').notNull().unique() })

let db: Database
/** The names that another process would find in the file. */
let committed: () => unknown[]

beforeEach(async () => {
  const database = await temporaryDatabase()
  const settings = { file: database.url.slice('file:'.length), busyTimeoutMs: 0 }
  db = openDatabase(settings)
  await db.transaction(async (tx) => {
    tx.run(sql`CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`)
    tx.run(sql`CREATE TABLE parts (item INTEGER REFERENCES items)`)
  })
  const other = connect(settings)
  committed = () => other.prepare('SELECT name FROM items ORDER BY id').pluck().all()
  onTestFinished(async () => {
    other.close()
    await db.close()
    await database.remove()
  })
})

const insert = async (tx: Transaction, name: string) => void (await tx.insert(items).values({ name }))
const add = (name: string) => db.transaction((tx) => insert(tx, name))

/** The outcome of each: `done`, or the message of the error. */
const outcomes = async (transactions: Promise<unknown>[]) =>
  (await Promise.allSettled(transactions)).map((outcome) =>
    outcome.status === 'fulfilled' ? 'done' : String(outcome.reason.cause ?? outcome.reason),
  )

test('transactions of the same moment share a commit, in their order', async () => {
  const seen = await Promise.all([add('one'), add('two'), db.transaction(async () => committed())])
  expect(seen).toEqual([undefined, undefined, []])
  expect(committed()).toEqual(['one', 'two'])
})

// Otherwise a client would believe in a change that the next crash undoes.
test('no one learns of a transaction before the commit, not even that it has failed', async () => {
  const atAnswer = (transaction: Promise<unknown>) => transaction.then(committed, committed)
  // The second `one` is a duplicate.
  const seen = await Promise.all([add('one'), add('one'), add('two')].map(atAnswer))
  expect(seen).toEqual(Array(3).fill(['one', 'two']))
})

test('a transaction that fails leaves nothing, and the others commit', async () => {
  const fail = async (tx: Transaction) => {
    await insert(tx, 'half')
    throw new Error('changed my mind')
  }
  expect(await outcomes([add('one'), db.transaction(fail), add('two')])).toEqual([
    'done',
    'Error: changed my mind',
    'done',
  ])
  expect(committed()).toEqual(['one', 'two'])
})

test('if the commit fails, every transaction in it fails', async () => {
  const refuse = async (tx: Transaction) => {
    tx.run(sql`PRAGMA defer_foreign_keys = ON`)
    tx.run(sql`INSERT INTO parts VALUES (999)`)
  }
  const all = await outcomes([add('one'), add('one'), db.transaction(refuse), add('two')])
  expect(all).toEqual(Array(4).fill('SqliteError: FOREIGN KEY constraint failed'))
  expect(committed()).toEqual([])
  await add('next')
  expect(committed()).toEqual(['next'])
})

// SQLite may do that if the disk is full.
test('if an error rolls everything back, later transactions still run', async () => {
  const fail = async (tx: Transaction) => {
    tx.run(sql`ROLLBACK`)
    throw new Error('disk full')
  }
  expect(await outcomes([add('one'), db.transaction(fail), add('two')])).toEqual([
    'Error: disk full',
    'Error: disk full',
    'done',
  ])
  expect(committed()).toEqual(['two'])
})

test('a commit waits for the disk if any of its transactions is durable', async () => {
  const level = (durable: boolean) =>
    db.transaction(async (tx) => tx.get(sql`PRAGMA synchronous`), { durable })
  expect(await Promise.all([level(false), level(true), level(false)])).toEqual(
    Array(3).fill({ synchronous: 2 }),
  )
  expect(await level(false)).toEqual({ synchronous: 1 })
})

// A container with a read-only file system has no folder for temporary files.
test('a transaction that changes many pages needs no temporary file', async () => {
  const level = await db.transaction(async (tx) => tx.get(sql`PRAGMA temp_store`))
  expect(level).toEqual({ temp_store: 2 })
})
