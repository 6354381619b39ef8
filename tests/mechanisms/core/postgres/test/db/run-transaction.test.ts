import type pg from 'pg'
import { expect, test } from 'vitest'
import type { Transaction } from '../../src/db/database.ts'
import { id, table, text } from '../../src/db/dialect.ts'
import { runTransaction, startSession } from '../../src/db/session.ts'

const items = table('items', { id: id(), name: text('name') })
const settings = { url: '', poolSize: 1, connectTimeoutMs: 1, statementTimeoutMs: 1 }

/** A connection whose responses wait for the test. */
async function openConnection() {
  const sent: { text: string; respond(response: object): void; fail(error: Error): void }[] = []
  /** Whether the connection was closed when it was released. */
  let released: { isClosed: boolean } | undefined
  const client = {
    query: async (): Promise<object> => ({ rows: [{}] }),
    release: (isClosed: boolean) => {
      released = { isClosed }
    },
  }
  await startSession(client as unknown as pg.PoolClient, settings)
  client.query = (query: string | { text: string } = '') =>
    new Promise((respond, fail) => {
      sent.push({ text: (typeof query === 'string' ? query : query.text).slice(0, 6), respond, fail })
    })
  return {
    sent,
    /** All that was sent, once nothing more follows without a response. */
    texts: async () => {
      await new Promise(setImmediate)
      return sent.map((query) => query.text)
    },
    run: (work: (tx: Transaction) => Promise<unknown>) =>
      runTransaction(client as unknown as pg.PoolClient, settings, true, work),
    released: () => released,
  }
}

const write = async (tx: Transaction) => void (await tx.insert(items).values({ name: 'one' }))
const broken = new Error('broken')
const lost = new Error('Connection terminated')

test('each query is sent after the response to the one before it', async () => {
  const { sent, texts, run, released } = await openConnection()
  const done = run(async (tx) => {
    await write(tx)
    return tx.select().from(items)
  })
  for (const [index, text] of ['BEGIN ', 'insert', 'select', 'COMMIT'].entries()) {
    expect(await texts()).toHaveLength(index + 1)
    expect([sent[index]?.text, released()]).toEqual([text, undefined])
    sent[index]?.respond({ rows: [['1', 'one']], command: text })
  }
  expect(await done).toEqual([{ id: 1, name: 'one' }])
  expect(released()).toEqual({ isClosed: false })
})

test('if BEGIN fails, no query follows', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run(write)
  await texts()
  sent[0]?.fail(broken)
  expect(await texts()).toEqual(['BEGIN ', 'ROLLBA'])
  sent[1]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toBe(broken)
})

// The server does not know of it, and would commit the rest.
test('a query that pg could not send fails the transaction, even if its error is caught', async () => {
  const { sent, texts, run } = await openConnection()
  const done = run((tx) => write(tx).catch(() => {}))
  await texts()
  sent[0]?.respond({ rows: [] })
  await texts()
  sent[1]?.fail(broken)
  expect(await texts()).toEqual(['BEGIN ', 'insert', 'ROLLBA'])
  sent[2]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toBe(broken)
})

test('a transaction that the server rolled back is not acknowledged', async () => {
  const { sent, texts, run, released } = await openConnection()
  const done = run(async () => 'done')
  await texts()
  sent[0]?.respond({ rows: [] })
  await texts()
  sent[1]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toThrow('A query of the transaction failed')
  expect(released()).toEqual({ isClosed: false })
})

// The server rolls back when a connection is closed, also one that waits for a lock.
test('a connection that was lost is closed', async () => {
  const { sent, texts, run, released } = await openConnection()
  const done = run(write)
  await texts()
  sent[0]?.respond({ rows: [] })
  await texts()
  sent[1]?.fail(lost)
  await expect(done).rejects.toMatchObject({ cause: lost })
  expect(await texts()).toEqual(['BEGIN ', 'insert'])
  expect(released()).toEqual({ isClosed: true })
})

test('a connection is used again after a deadlock', async () => {
  const { sent, texts, run, released } = await openConnection()
  const done = run(write)
  await texts()
  sent[0]?.respond({ rows: [] })
  await texts()
  sent[1]?.fail(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
  expect(await texts()).toEqual(['BEGIN ', 'insert', 'ROLLBA'])
  sent[2]?.respond({ command: 'ROLLBACK' })
  await expect(done).rejects.toThrow()
  expect(released()).toEqual({ isClosed: false })
})

test('a query after the end of its transaction is refused, and does not reach the next one', async () => {
  const { sent, texts, run } = await openConnection()
  let late: Promise<unknown> | undefined
  const done = run(async (tx) => {
    late = tx
      .select()
      .from(items)
      .then(() => write(tx))
    // Rejects before the test looks at it.
    late.catch(() => {})
    throw broken
  })
  await texts()
  sent[0]?.respond({ rows: [] })
  expect(await texts()).toEqual(['BEGIN ', 'select', 'ROLLBA'])
  for (const query of sent) query.respond({ rows: [] })
  await expect(done).rejects.toBe(broken)
  expect(await texts()).toHaveLength(3)
  await expect(late).rejects.toMatchObject({ cause: new Error('The transaction has ended') })
})
