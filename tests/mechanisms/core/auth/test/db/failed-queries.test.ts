import { setImmediate } from 'node:timers/promises'
import { asc, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Database, Transaction } from '../../src/db/database.ts'
import { id, table } from '../../src/db/dialect.ts'
import { attempts } from '../../src/db/schema/attempts.ts'
import { createTestApp } from '../support/app.ts'

// A flow that catches the error of a query must mean the same on SQLite and PostgreSQL.

const insert = (tx: Transaction, key: string) =>
  tx.insert(attempts).values({ key, account: 'alice', count: 1, endsAt: new Date(0) })

/** A database that contains the key `one`. */
async function openWithOne(): Promise<Database> {
  const { db } = await createTestApp()
  await db.transaction(async (tx) => void (await insert(tx, 'one')))
  return db
}

const keys = async (db: Database) =>
  (await db.read.select().from(attempts).orderBy(asc(attempts.key))).map(({ key }) => key)

/** The driver's error of a query. */
const failureOf = async (query: PromiseLike<unknown>): Promise<unknown> =>
  query.then(
    () => undefined,
    (error: Error) => error.cause ?? error,
  )

const overflow = sql`abs(-9223372036854775807 - 1)`

const failing: [string, (tx: Transaction) => PromiseLike<unknown>][] = [
  ['write', (tx) => insert(tx, 'one')],
  ['write with returning', (tx) => insert(tx, 'one').returning()],
  ['read', (tx) => tx.select({ overflow }).from(attempts)],
  ['read of a missing table', (tx) => tx.select().from(table('lost', { id: id() }))],
]

describe.each(failing)('after a %s that failed in a transaction', (_case, query) => {
  test('its error is known where it is awaited', async () => {
    const db = await openWithOne()
    const steps: string[] = []
    const failed = db.transaction(async (tx) => {
      await insert(tx, 'two')
      steps.push('before')
      await query(tx)
      steps.push('after')
    })
    await expect(failed).rejects.toThrow()
    expect(steps).toEqual(['before'])
    expect(await keys(db)).toEqual(['one'])
  })

  test('nothing commits, even if the error is caught: the transaction rejects with it', async () => {
    const db = await openWithOne()
    let failure: unknown
    const failed = db.transaction(async (tx) => {
      await insert(tx, 'two')
      failure = await failureOf(query(tx))
    })
    const reason = await failureOf(failed)
    expect(reason).toBeInstanceOf(Error)
    expect(reason).toBe(failure)
    expect(await keys(db)).toEqual(['one'])
    await db.transaction(async (tx) => void (await insert(tx, 'three')))
    expect(await keys(db)).toEqual(['one', 'three'])
  })

  test('no other query runs', async () => {
    const db = await openWithOne()
    let next: unknown
    const failed = db.transaction(async (tx) => {
      await failureOf(query(tx))
      next = await failureOf(tx.select().from(attempts))
    })
    await expect(failed).rejects.toThrow()
    expect(next).toBeInstanceOf(Error)
  })
})

test('a write tells how many rows it changed', async () => {
  const db = await openWithOne()
  const result = await db.transaction(async (tx) => tx.update(attempts).set({ count: 2 }))
  // The names of better-sqlite3, pg and PGlite.
  const { changes, rowCount, affectedRows } = result as unknown as Record<string, unknown>
  expect(changes ?? rowCount ?? affectedRows).toBe(1)
})

test('a query that a transaction left behind when it failed reaches no other one', async () => {
  const db = await openWithOne()
  let late: Promise<unknown> | undefined
  const failed = db.transaction(async (tx) => {
    late = setImmediate().then(async () => insert(tx, 'late'))
    late.catch(() => {})
    throw new Error('broken')
  })
  await expect(failed).rejects.toThrow('broken')
  await db.transaction(async (tx) => {
    await expect(late).rejects.toThrow()
    await insert(tx, 'two')
  })
  expect(await keys(db)).toEqual(['one', 'two'])
})
