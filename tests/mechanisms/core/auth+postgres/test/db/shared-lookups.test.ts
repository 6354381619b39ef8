import { sql } from 'drizzle-orm'
import { interval, timestamp } from 'drizzle-orm/pg-core'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { id, table, text } from '../../src/db/dialect.ts'
import { prepareLookup } from '../../src/db/queries.ts'
import { temporaryDatabase } from '../support/database.ts'
import { testServer } from '../support/server.ts'
import { testConfig } from '../support/settings.ts'

const items = table('items', { id: id(), name: text('name').notNull() })

/** A lookup whose queries wait until the test answers them. */
function heldLookup() {
  const queries: { ids: unknown; answer(...rows: object[]): void; fail(error: Error): void }[] = []
  const query = {
    from: () => query,
    where: () => query,
    toSQL: () => ({ sql: '' }),
    prepare: () => ({
      execute: ({ ids }: { ids: unknown }) =>
        new Promise((resolve, reject) => {
          queries.push({ ids, answer: (...found) => resolve(found), fail: reject })
        }),
    }),
  }
  const db = { read: { select: () => query } } as unknown as Database
  const find = prepareLookup(db, { item: items }, items.id, (select) => select.from(items))
  return { queries, find }
}

/** A row as the query returns it: the parts, then the key. */
const row = (id: number, name: string) => ({ item: { id, name }, key: id })

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('lookups of one turn share a query, and each gets its own row', async () => {
  const { queries, find } = heldLookup()
  const found = Promise.all([find(2), find(1), find(3), find(2)])
  await turn()
  expect(queries.map(({ ids }) => ids)).toEqual([[2, 1, 3, 2]])
  queries[0]?.answer(row(1, 'one'), row(2, 'two'))
  const [one, two] = ['one', 'two'].map((name, index) => ({ item: { id: index + 1, name } }))
  expect(await found).toEqual([two, one, undefined, two])
})

// Otherwise a request could be answered with a session that ended before the request arrived.
test('a lookup never joins a query that has started', async () => {
  const { queries, find } = heldLookup()
  const early = find(1)
  await turn()
  const late = find(1)
  await turn()
  expect(queries).toHaveLength(2)
  queries[1]?.answer()
  expect(await late).toBeUndefined()
  queries[0]?.answer(row(1, 'one'))
  expect(await early).toMatchObject({ item: { name: 'one' } })
})

test('a failure reaches every lookup that shares the query, and no other', async () => {
  const { queries, find } = heldLookup()
  const failing = Promise.allSettled([find(1), find(2)])
  await turn()
  const next = find(1)
  await turn()
  const reason = new Error('The connection was lost')
  queries[0]?.fail(reason)
  expect(await failing).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ])
  queries[1]?.answer(row(1, 'one'))
  expect(await next).toMatchObject({ item: { name: 'one' } })
})

// pg would make a Date of a time without time zone, as a local time, and an object of an interval.
test.skipIf(testServer === undefined)('columns of all types are read as a select reads them', async () => {
  const trips = table('trips', { id: id(), leaves: timestamp('leaves'), takes: interval('takes') })
  const database = await temporaryDatabase()
  const db = await database.open(testConfig({ DATABASE_URL: database.url }).database)
  onTestFinished(async () => {
    await db.close()
    await database.remove()
  })
  await db.transaction(async (tx) => {
    await tx.execute(sql`CREATE TABLE trips (id bigint, leaves timestamp, takes interval)`)
    await tx.execute(sql`INSERT INTO trips VALUES (1, '2026-05-06 12:00', '90 minutes')`)
  })
  const find = prepareLookup(db, { trip: trips }, trips.id, (query) => query.from(trips))
  const [trip] = await db.read.select().from(trips)
  expect(trip?.takes).toBe('01:30:00')
  expect(await find(1)).toEqual({ trip })
})
