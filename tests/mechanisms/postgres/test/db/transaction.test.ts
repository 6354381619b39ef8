import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { expect, test } from 'vitest'
import type { Transaction } from '../../src/db/database.ts'
import { id, table, text } from '../../src/db/dialect.ts'
import { startSession } from '../../src/db/session.ts'
import { runTransaction } from '../../src/db/transaction.ts'

const items = table('items', { id: id(), name: text('name') })
const settings = { url: '', poolSize: 1, connectTimeoutMs: 1, statementTimeoutMs: 1 }

/** A connection whose responses wait for the test. @param isPooled whether a pooler is in front of the server */
async function openConnection({ isPooled = false } = {}) {
  const sent: { text: string; respond(response: object): void; fail(error: Error): void }[] = []
  const [corked, packets]: [number[], number[]] = [[], []]
  const session = { rows: isPooled ? [] : [{}] }
  let isReleased = false
  const client = {
    query: async (): Promise<object> => session,
    connection: { stream: { cork: () => corked.push(sent.length), uncork: () => packets.push(sent.length) } },
    release: () => {
      isReleased = true
    },
  }
  await startSession(client as unknown as pg.PoolClient, settings)
  client.query = (query: string | { text: string } = '') =>
    new Promise((respond, fail) => {
      sent.push({ text: (typeof query === 'string' ? query : query.text).slice(0, 6), respond, fail })
    })
  const pool = { connect: async () => client } as unknown as pg.Pool
  return {
    sent,
    /** How many queries were sent before each call of `cork` and `uncork`. */
    corked,
    packets,
    /** All that was sent, once nothing more follows without a response. */
    texts: async () => {
      await new Promise(setImmediate)
      return sent.map((query) => query.text)
    },
    run: (work: (tx: Transaction) => Promise<unknown>) => runTransaction(pool, settings, true, work),
    isReleased: () => isReleased,
  }
}

const write = async (tx: Transaction) => void (await tx.insert(items).values({ name: 'one' }))
const aborted = Object.assign(new Error('aborted'), { code: '25P02' })
const broken = new Error('broken')

test('BEGIN, writes and COMMIT leave together, and the transaction ends with the response to COMMIT', async () => {
  const { sent, corked, packets, texts, run, isReleased } = await openConnection()
  let isDone = false
  const done = run(async (tx) => {
    await write(tx)
    await write(tx)
    return 'done'
  }).finally(() => {
    isDone = true
  })
  expect(await texts()).toEqual(['BEGIN ', 'insert', 'insert', 'COMMIT'])
  expect([corked[0], packets]).toEqual([0, corked.map(() => 4)])
  for (const query of sent.slice(0, 3)) query.respond({ rows: [], command: '' })
  await texts()
  expect([isDone, isReleased()]).toEqual([false, false])
  sent[3]?.respond({ command: 'COMMIT' })
  expect(await done).toBe('done')
  expect(isReleased()).toBe(true)
})

test('a query waits for its response, but not for that of a write before it', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run(async (tx) => {
    await write(tx)
    return tx.select().from(items)
  })
  expect(await texts()).toEqual(['BEGIN ', 'insert', 'select'])
  for (const query of sent) query.respond({ rows: [['1', 'one']] })
  expect(await texts()).toHaveLength(4)
  sent[3]?.respond({ command: 'COMMIT' })
  expect(await done).toEqual([{ id: 1, name: 'one' }])
})

test('how many rows a write changed is only known with returning()', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run(async (tx) => (await tx.delete(items)).rowCount)
  await texts()
  for (const query of sent) query.respond({ rows: [] })
  await expect(done).rejects.toThrow('returning()')
})

test('a transaction that the server rolled back fails with the error of the write', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run(write)
  await texts()
  sent[0]?.respond({ rows: [] })
  sent[1]?.fail(broken)
  sent[2]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toBe(broken)
})

test('a query that fails because of an earlier write fails the transaction with the error of the write', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run(async (tx) => {
    await write(tx)
    await tx.select().from(items)
  })
  await texts()
  sent[0]?.respond({ rows: [] })
  sent[1]?.fail(broken)
  sent[2]?.fail(aborted)
  expect((await texts()).at(-1)).toBe('ROLLBACK'.slice(0, 6))
  sent[3]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toBe(broken)
})

test('a transaction whose BEGIN fails is not acknowledged', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run(write)
  await texts()
  sent[0]?.fail(broken)
  sent[1]?.respond({ rows: [] })
  sent[2]?.respond({ command: 'COMMIT' })
  await texts()
  sent[3]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toBe(broken)
})

test('if BEGIN fails, no query follows', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run(async (tx) => {
    await tx.select().from(items)
    await write(tx)
  })
  await texts()
  sent[0]?.fail(broken)
  sent[1]?.respond({ rows: [] })
  expect(await texts()).toEqual(['BEGIN ', 'select', 'ROLLBA'])
  sent[2]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toMatchObject({ cause: broken })
})

test('a write that pg refuses to send fails the transaction', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run(async (tx) => {
    await write(tx)
    await tx.select().from(items)
  })
  await texts()
  sent[1]?.fail(broken)
  for (const query of sent) query.respond({ rows: [] })
  expect((await texts()).at(-1)).toBe('ROLLBA')
  sent[3]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toBe(broken)
})

test.each(['\nreturning id', ' RETURNING id'])(
  'a write with %j waits for its response',
  async (returning) => {
    const { sent, texts, run } = await openConnection()
    const done = run((tx) => tx.execute(sql.raw(`insert into items (name) values ('one')${returning}`)))
    expect(await texts()).toEqual(['BEGIN ', 'insert'])
    for (const query of sent) query.respond({ rows: [{ id: 1 }] })
    await texts()
    sent[2]?.respond({ command: 'COMMIT' })
    expect(await done).toMatchObject({ rows: [{ id: 1 }] })
  },
)

test('behind a pooler, nothing is sent before the response to BEGIN', async () => {
  const { sent, texts, run } = await openConnection({ isPooled: true })
  const done = run(write)
  expect(await texts()).toEqual(['BEGIN '])
  sent[0]?.respond({ rows: [] })
  expect(await texts()).toEqual(['BEGIN ', 'insert', 'COMMIT'])
  sent[1]?.respond({ rows: [] })
  sent[2]?.respond({ command: 'COMMIT' })
  await done
})

test('a query after the end of its transaction is refused, and does not reach the next one', async () => {
  const { sent, texts, run } = await openConnection()
  let late: Promise<unknown> | undefined
  const done = run(async (tx) => {
    late = tx
      .select()
      .from(items)
      .then(() => write(tx))
    throw broken
  })
  await texts()
  for (const query of sent) query.respond({ rows: [] })
  await expect(done).rejects.toBe(broken)
  await expect(late).rejects.toMatchObject({ cause: new Error('The transaction has ended') })
  expect(await texts()).toEqual(['BEGIN ', 'select', 'ROLLBA'])
})
