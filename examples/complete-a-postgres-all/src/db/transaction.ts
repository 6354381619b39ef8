import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import type { Config } from '../config.ts'
import { isUnavailable } from './dialect.ts'
import { begin, keepsSession } from './session.ts'

/** A connection inside a transaction: reads and writes. */
export type Transaction = NodePgDatabase

/**
 * Runs `work` in a transaction, with few round trips: each may take longer than its query. BEGIN leaves with the first
 * query, a write that returns nothing with the query after it, and COMMIT with the last write.
 * @throws the first error of a query, or what `work` throws
 */
export async function runTransaction<Result>(
  pool: pg.Pool,
  settings: Config['database'],
  durable: boolean,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  const writes = createSilentWrites()
  let isUsable = false
  let refusal: unknown
  try {
    inOnePacket(client)
    const begun = begin(client, settings, durable)
    // Without a transaction, the server would commit each query that follows by itself.
    begun.catch((error) => {
      refusal = error
    })
    // A pooler that has no connection for BEGIN may have one for the first write, which would be committed by itself.
    if (!keepsSession(client)) await begun
    const query = async (config: pg.QueryConfig, values: unknown[]) => {
      // Would belong to the next transaction of the connection: it was left behind when another query failed.
      if (refusal) throw refusal
      inOnePacket(client)
      return writes.send(config.text, client.query(config, values))
    }
    const result = await work(drizzle({ client: { query } as unknown as pg.Client }))
    refusal ??= ended
    // A write that pg could not send left no error on the server.
    writes.refuse()
    // Sent before the responses to the last writes. If one of them failed, the server rolls back instead.
    const [{ command }] = await Promise.all([client.query('COMMIT'), begun])
    isUsable = true
    if (command !== 'COMMIT') {
      writes.refuse()
      throw new Error('A query of the transaction failed')
    }
    return result
  } catch (error) {
    refusal ??= ended
    const reason = writes.reasonOf(error)
    // A connection that was lost, or still waits for a response, is closed. The server then rolls back.
    if (!isUsable && (!isUnavailable(reason) || isConflict(reason))) {
      isUsable = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      )
    }
    throw reason
  } finally {
    client.release(!isUsable)
  }
}

const ended = new Error('The transaction has ended')

/** Sends all queries of this turn of the event loop in one packet. */
function inOnePacket({ connection: { stream } }: pg.PoolClient): void {
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** An insert, update or delete without `returning`. */
const silentWrite = /^\s*(insert into|update|delete from)\b(?!.*\breturning\b)/is

/** The result of a write that the transaction does not wait for. */
const notKnown = {
  rows: [],
  get rowCount(): never {
    throw new Error('How many rows a write changed is only known with returning()')
  },
}

/** The writes of a transaction that it does not wait for. If one fails, so do all queries after it. */
export function createSilentWrites() {
  let failure: Error | undefined
  return {
    /** Waits for the response to a query, unless it is such a write. */
    async send<Result>(text: string, response: Promise<Result>): Promise<Result | typeof notKnown> {
      if (!silentWrite.test(text)) return response
      response.catch((error: Error) => {
        failure ??= error
      })
      return notKnown
    },
    /** @throws the error of the first write that failed */
    refuse(): void {
      if (failure) throw failure
    },
    /** The error of the write because of which the server refused this query, or the error itself. */
    reasonOf: (error: unknown): unknown => (isAborted(error) && failure) || error,
  }
}

/** Whether the database aborted the transaction because of a conflict with another one. A retry can succeed. */
export const isConflict = (error: unknown): boolean => hasCode(error, '40001', '40P01')

/** Whether a query failed only because another one of the transaction did. */
const isAborted = (error: unknown): boolean => hasCode(error, '25P02')

/** Whether an error, or what caused it, has one of these codes. */
const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error &&
  (('code' in error && codes.includes(String(error.code))) || hasCode(error.cause, ...codes))
